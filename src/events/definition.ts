import type { z } from "zod";

/** One version of a payload: its schema and, from the second version on, the step from the version before. */
export interface PayloadVersion {
  readonly schema: z.ZodType;
  readonly upcast: ((previous: never) => unknown) | null;
}

/**
 * What the catalogue knows of one event type. `version` is the current payload version; `schema` validates it.
 * `versions[n - 1]` is version n.
 */
export interface EventDefinition<Type extends string = string, Payload = unknown> {
  readonly type: Type;
  readonly summary: string;
  readonly version: number;
  readonly schema: z.ZodType<Payload>;
  readonly versions: readonly PayloadVersion[];
  /** The stream an event with this payload belongs to. */
  readonly streamOf: (payload: Payload) => string;
}

/** The payload type of a definition. */
export type PayloadOfDefinition<D> = D extends EventDefinition<string, infer Payload> ? Payload : never;

/** Collects the payload versions of an event type. */
export interface EventBuilder<Type extends string, Payload> {
  /**
   * Adds the next payload version. `upcast` turns a payload of the version before into one of this version; it must
   * be pure, since it runs at every read of an old event.
   */
  next<Next>(schema: z.ZodType<Next>, upcast: (previous: Payload) => Next): EventBuilder<Type, Next>;
  /** Closes the definition; `streamOf` sees payloads of the newest version. */
  done(streamOf: (payload: Payload) => string): EventDefinition<Type, Payload>;
}

/**
 * Starts the definition of an event type with version 1 of its payload. Every later version is added with
 * `next(schema, upcast)`, so the chain is typed from version to version: a step that does not produce what the next
 * schema describes does not compile.
 */
export function defineEvent<Type extends string, Payload>(
  type: Type,
  summary: string,
  schema: z.ZodType<Payload>,
): EventBuilder<Type, Payload> {
  return builder(type, summary, [{ schema, upcast: null }], schema);
}

function builder<Type extends string, Payload>(
  type: Type,
  summary: string,
  versions: readonly PayloadVersion[],
  schema: z.ZodType<Payload>,
): EventBuilder<Type, Payload> {
  return {
    next: (nextSchema, upcast) => builder(type, summary, [...versions, { schema: nextSchema, upcast }], nextSchema),
    done: (streamOf) => ({ type, summary, version: versions.length, schema, versions, streamOf }),
  };
}
