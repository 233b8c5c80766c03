import fc from "fast-check";
import type { SessionDB } from "../../src/index.js";
import type { Store } from "../../src/store/store.js";

/** What an operation works on: a store that may be closed and opened again, another program's store on its file, time. */
export interface World {
  readonly db: SessionDB;
  readonly reopen: () => void;
  /** Lets so many days pass. */
  readonly wait: (days: number) => void;
  readonly otherProgram: () => Store;
}

/** One call of a history. */
export interface Operation {
  /** The method it calls: `setMeta`, `log.append`, `delegations.persistDispatch` … */
  readonly name: string;
  readonly args: readonly unknown[];
  readonly run: (world: World) => unknown;
  readonly [fc.toStringMethod]: () => string;
}

type Arbitraries<A extends readonly unknown[]> = { [K in keyof A]: fc.Arbitrary<A[K]> };
type MethodName<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T] & string;
type Arguments<T> = T extends (...args: infer A) => unknown ? A : never;

/** A call of a method of SessionDB with these arguments. */
export function method<M extends MethodName<SessionDB>>(
  name: M,
  ...args: Arbitraries<Arguments<SessionDB[M]>>
): fc.Arbitrary<Operation> {
  return operation<Arguments<SessionDB[M]>>(name, args, ({ db }, ...values) => Reflect.apply(db[name], db, values));
}

/** A call of a method of `SessionDB.delegations` with these arguments. */
export function delegationMethod<M extends MethodName<SessionDB["delegations"]>>(
  name: M,
  ...args: Arbitraries<Arguments<SessionDB["delegations"][M]>>
): fc.Arbitrary<Operation> {
  return operation<Arguments<SessionDB["delegations"][M]>>(`delegations.${name}`, args, ({ db }, ...values) =>
    Reflect.apply(db.delegations[name], db.delegations, values),
  );
}

/** A call of `name` with these arguments, done by `run`. */
export function operation<A extends readonly unknown[]>(
  name: string,
  args: Arbitraries<A>,
  run: (world: World, ...args: A) => unknown,
): fc.Arbitrary<Operation> {
  return (fc.tuple(...args) as unknown as fc.Arbitrary<A>).map((values) => ({
    name,
    args: values,
    run: (world) => run(world, ...values),
    [fc.toStringMethod]: () => `${name}(${values.map(shown).join(", ")})`,
  }));
}

/** An operation as it is written in a failure: `method(args)`, long arguments cut. */
export function toText(step: Operation): string {
  return step[fc.toStringMethod]();
}

function shown(value: unknown): string {
  const text = fc.stringify(value);
  return text.length > 400 ? `${text.slice(0, 120)}… (${text.length} characters)` : text;
}
