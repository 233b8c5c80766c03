import { LedgerError } from "../../events/ledger-error.js";

/** How many containers may stand inside each other in JSON text that is read or written, as in Python. */
export const MAX_JSON_DEPTH = 1000;

/**
 * A float that holds a whole number, so that `1.0` stays `1.0` when it is written again. Only the faithful reader
 * (`keepFloats`) makes them, and only for whole values that a plain number would show as an integer.
 */
export class PyFloat {
  constructor(readonly value: number) {}

  /** For arithmetic and comparison. */
  valueOf(): number {
    return this.value;
  }

  /** For `JSON.stringify`, which knows no difference between 1 and 1.0. */
  toJSON(): number {
    return this.value;
  }
}

/** What JSON text can hold. Integers beyond 2^53 are bigint. */
export type JsonValue =
  null | boolean | number | bigint | string | PyFloat | JsonValue[] | { [key: string]: JsonValue };

/** A value that JSON text can't hold was to be written as JSON. */
export class NotSerializableError extends LedgerError {
  constructor(reason: string) {
    super("type", "NOT_SERIALIZABLE", `The value can't be written as JSON: ${reason}. Nothing was written.`);
  }
}

/**
 * Key of the record of the order in which an object's keys stood in the text, an array of names. Only objects with
 * integer-like keys (`"7"`) have one: JavaScript lists such keys first, whatever was written first.
 */
export const KEY_ORDER = Symbol("hermes-ledger.keyOrder");

/** Whether JavaScript would list this key before the others. */
export function isIndexKey(key: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(key);
}

/**
 * The keys of an object in the order in which they are to be written: those of its order record first (as far as they
 * are still there), then the others in JavaScript's order.
 */
export function orderedKeys(object: object): string[] {
  const keys = Object.keys(object);
  const order: unknown = Reflect.get(object, KEY_ORDER);
  if (!Array.isArray(order)) return keys;
  const left = new Set(keys);
  const known = order.filter((key): key is string => typeof key === "string" && left.delete(key));
  return [...known, ...left];
}

/** Whether a value is an object of plain data: not an array, not an instance of a class, from any realm. */
export function isPlainObject(value: unknown): value is { [key: string]: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
