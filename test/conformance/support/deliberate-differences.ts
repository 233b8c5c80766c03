import type { Example, ExampleRefusal } from "./example-file.js";

/**
 * A place where this store answers an example differently on purpose. Values are in the notation of the example file.
 */
export interface DeliberateDifference {
  /** Id of the example. */
  readonly example: string;
  /** Why the other answer is better. */
  readonly reason: string;
  /** Answers of steps, by index. */
  readonly steps?: Readonly<Record<number, { readonly returns: unknown } | { readonly raises: ExampleRefusal }>>;
  /** Final rows, by table. */
  readonly rows?: Readonly<Record<string, Record<string, unknown>[]>>;
}

/** All of them. Nothing else may differ. */
export const deliberateDifferences: readonly DeliberateDifference[] = [];

/** The example with the answers that are expected of this store. */
export function withDeliberateDifferences(
  example: Example,
  list: readonly DeliberateDifference[] = deliberateDifferences,
): Example {
  return list
    .filter((difference) => difference.example === example.id)
    .reduce<Example>(
      (changed, { steps, rows }) => ({
        ...changed,
        steps: changed.steps.map((step, index) => {
          const answer = steps?.[index];
          return answer
            ? { op: step.op, args: step.args, ...(step.pick === undefined ? {} : { pick: step.pick }), ...answer }
            : step;
        }),
        ...(rows ? { rows: { ...changed.rows, ...rows } } : {}),
      }),
      example,
    );
}
