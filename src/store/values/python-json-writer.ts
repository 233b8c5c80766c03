import { floatText } from "./numbers.js";
import { isPlainObject, MAX_JSON_DEPTH, NotSerializableError, orderedKeys, PyFloat } from "./json-value.js";

const NOT_PRINTABLE_ASCII = /[^ -~]/;

function hexDigit(value: number): number {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

// Into bytes rather than by concatenation: this is most of the time that long texts in other scripts take.
function escapeNonAscii(quoted: string): string {
  const bytes = Buffer.allocUnsafe(6 * quoted.length);
  let length = 0;
  for (let i = 0; i < quoted.length; i++) {
    const unit = quoted.charCodeAt(i);
    if (unit < 0x7f) {
      bytes[length++] = unit;
    } else {
      bytes[length++] = 0x5c;
      bytes[length++] = 0x75;
      bytes[length++] = hexDigit(unit >> 12);
      bytes[length++] = hexDigit((unit >> 8) & 15);
      bytes[length++] = hexDigit((unit >> 4) & 15);
      bytes[length++] = hexDigit(unit & 15);
    }
  }
  return bytes.toString("latin1", 0, length);
}

function writeString(text: string): string {
  // JavaScript escapes quotes, backslashes, controls and lone surrogates in the same spelling; the rest is ours.
  const quoted = JSON.stringify(text);
  return NOT_PRINTABLE_ASCII.test(quoted) ? escapeNonAscii(quoted) : quoted;
}

function writeFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return floatText(value);
}

function writeNumber(value: number): string {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : writeFloat(value);
}

function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  const constructor: unknown = Reflect.get(value, "constructor");
  return typeof constructor === "function" && constructor.name !== ""
    ? `a ${constructor.name}`
    : "an object of a class";
}

function enter(container: object, parents: Set<object>): void {
  if (parents.has(container)) throw new NotSerializableError("it contains itself");
  if (parents.size === MAX_JSON_DEPTH) {
    throw new NotSerializableError(`it nests deeper than ${String(MAX_JSON_DEPTH)} levels`);
  }
  parents.add(container);
}

function writeArray(items: readonly unknown[], parents: Set<object>): string {
  enter(items, parents);
  let out = "[";
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out += ", ";
    out += write(items[i], parents);
  }
  parents.delete(items);
  return `${out}]`;
}

function writeObject(object: { [key: string]: unknown }, parents: Set<object>): string {
  enter(object, parents);
  let out = "";
  for (const key of orderedKeys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    out += `${out === "" ? "" : ", "}${writeString(key)}: ${write(value, parents)}`;
  }
  parents.delete(object);
  return `{${out}}`;
}

function write(value: unknown, parents: Set<object>): string {
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "number":
      return writeNumber(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "undefined":
      return "null";
    case "object":
      if (value === null) return "null";
      if (value instanceof PyFloat) return writeFloat(value.value);
      if (Array.isArray(value)) return writeArray(value, parents);
      if (isPlainObject(value)) return writeObject(value, parents);
      break;
    case "function":
    case "symbol":
      break;
  }
  throw new NotSerializableError(`it contains ${kindOf(value)}`);
}

/**
 * Writes a value as JSON text in the documented spelling, that of Python's `json.dumps`: `", "` and `": "` between
 * tokens, everything outside U+0020-007E escaped, floats in shortest round-trip form with `.0` for whole values,
 * `NaN` and `Infinity` as words, integers of any size.
 *
 * A number that is a safe integer is an integer; any other number (-0, fractions, 2^53 and more) and every
 * {@link PyFloat} is a float. Larger integers are bigint. Keys whose value is undefined are left out; undefined
 * elsewhere is `null`. Keys come in insertion order, with the order record of the reader for integer-like keys
 * (see {@link parsePythonJson}).
 *
 * @throws NotSerializableError for bytes, functions, symbols, instances of classes (Map, Set, Date and so on),
 * cycles, and more than {@link MAX_JSON_DEPTH} levels.
 */
export function toPythonJson(value: unknown): string {
  return write(value, new Set());
}
