import { IntegerRangeError, LoneSurrogateError } from "../values/columns.js";
import { hasLoneSurrogate } from "../values/text.js";

/**
 * Throws when a payload holds what would not come back from the file as it went in: text with a lone surrogate, or an
 * integer outside signed 64 bits. `name` is told in the error where the value has no key of its own.
 *
 * @throws LoneSurrogateError, IntegerRangeError
 */
export function refuseUnstorable(name: string, value: unknown): void {
  if (typeof value === "string") {
    if (hasLoneSurrogate(value)) throw new LoneSurrogateError(name);
  } else if (typeof value === "bigint") {
    if (BigInt.asIntN(64, value) !== value) throw new IntegerRangeError(name, value);
  } else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    for (const [key, part] of Object.entries(value)) {
      if (hasLoneSurrogate(key)) throw new LoneSurrogateError(name);
      refuseUnstorable(Array.isArray(value) ? name : key, part);
    }
  }
}
