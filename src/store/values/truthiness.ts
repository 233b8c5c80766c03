import { types } from "node:util";
import { isPlainObject, PyFloat } from "./json-value.js";

/**
 * Whether a value counts as given in Python's sense: not null, undefined, false, zero, empty text or bytes, an empty
 * list, or an object without a defined value. NaN and a Date count.
 */
export function isTruthy(value: unknown): boolean {
  if (value instanceof PyFloat) return value.value !== 0;
  if (typeof value === "number") return value !== 0;
  if (Array.isArray(value) || types.isUint8Array(value)) return value.length > 0;
  if (isPlainObject(value)) return Object.values(value).some((item) => item !== undefined);
  return Boolean(value);
}
