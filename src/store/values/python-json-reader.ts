import { LedgerError } from "../../events/ledger-error.js";
import { isIndexKey, KEY_ORDER, MAX_JSON_DEPTH, PyFloat, type JsonValue } from "./json-value.js";

/** Text was to be read as JSON and is not. */
export class PythonJsonSyntaxError extends LedgerError {
  /** Where the reader stopped, in UTF-16 code units from 0. */
  readonly position: number;

  constructor(problem: string, position: number) {
    super("validation", "INVALID_JSON", `Not JSON: ${problem} at character ${String(position)}.`);
    this.position = position;
  }
}

const NUMBER = /(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const LITERAL = /null|true|false|NaN|-?Infinity/y;
const HEX4 = /[0-9a-fA-F]{4}/y;

const LITERALS = new Map<string, JsonValue>([
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

const ESCAPES = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

interface Cursor {
  readonly text: string;
  readonly keepFloats: boolean;
  at: number;
}

function matchAt(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text);
  if (match) cursor.at += match[0].length;
  return match;
}

function skipSpace(cursor: Cursor): void {
  for (;;) {
    const unit = cursor.text.charCodeAt(cursor.at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    cursor.at++;
  }
}

/** Steps over one punctuation mark and the white space after it, if it is there. */
function accept(cursor: Cursor, mark: string): boolean {
  if (cursor.text[cursor.at] !== mark) return false;
  cursor.at++;
  skipSpace(cursor);
  return true;
}

function readEscape(cursor: Cursor): string {
  const letter = cursor.text[cursor.at + 1] ?? "";
  const short = ESCAPES.get(letter);
  if (short !== undefined) {
    cursor.at += 2;
    return short;
  }
  const start = cursor.at;
  cursor.at += 2;
  const hex = letter === "u" ? matchAt(cursor, HEX4) : null;
  if (!hex) throw new PythonJsonSyntaxError("an invalid escape", start);
  return String.fromCharCode(Number.parseInt(hex[0], 16));
}

/** Reads a string whose opening quote is at the cursor. */
function readString(cursor: Cursor): string {
  const { text } = cursor;
  const start = cursor.at++;
  let out = "";
  let plainFrom = cursor.at;
  for (;;) {
    const unit = text.charCodeAt(cursor.at);
    if (unit === 0x22) {
      out += text.slice(plainFrom, cursor.at++);
      return out;
    } else if (unit === 0x5c) {
      out += text.slice(plainFrom, cursor.at) + readEscape(cursor);
      plainFrom = cursor.at;
    } else if (Number.isNaN(unit)) {
      throw new PythonJsonSyntaxError("an unterminated string", start);
    } else if (unit < 0x20) {
      throw new PythonJsonSyntaxError("a raw control character in a string", cursor.at);
    } else {
      cursor.at++;
    }
  }
}

function readInteger(digits: string): number | bigint {
  // `+ 0` because Python has no negative zero among its integers.
  if (digits.length < 16) return Number(digits) + 0;
  const exact = BigInt(digits);
  const value = Number(exact);
  return Number.isSafeInteger(value) ? value : exact;
}

function readScalar(cursor: Cursor): JsonValue {
  const number = matchAt(cursor, NUMBER);
  if (number) {
    if (number[2] === undefined && number[3] === undefined) return readInteger(number[0]);
    const value = Number(number[0]);
    return cursor.keepFloats && Number.isSafeInteger(value) && !Object.is(value, -0) ? new PyFloat(value) : value;
  }
  const literal = matchAt(cursor, LITERAL);
  const value = literal ? LITERALS.get(literal[0]) : undefined;
  if (value === undefined) {
    const found = cursor.at < cursor.text.length ? "an unexpected character" : "a value missing at the end";
    throw new PythonJsonSyntaxError(found, cursor.at);
  }
  return value;
}

function readArray(cursor: Cursor, depth: number): JsonValue[] {
  const items: JsonValue[] = [];
  accept(cursor, "[");
  if (accept(cursor, "]")) return items;
  for (;;) {
    items.push(readValue(cursor, depth));
    skipSpace(cursor);
    if (cursor.text[cursor.at] === "]") break;
    if (!accept(cursor, ",")) throw new PythonJsonSyntaxError("a missing ',' or ']'", cursor.at);
  }
  cursor.at++;
  return items;
}

function readKey(cursor: Cursor): string {
  if (cursor.text[cursor.at] !== '"') throw new PythonJsonSyntaxError("a missing property name", cursor.at);
  const key = readString(cursor);
  skipSpace(cursor);
  if (!accept(cursor, ":")) throw new PythonJsonSyntaxError("a missing ':'", cursor.at);
  return key;
}

function setKey(object: { [key: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function readObject(cursor: Cursor, depth: number): { [key: string]: JsonValue } {
  const object: { [key: string]: JsonValue } = {};
  let order: string[] | null = null;
  accept(cursor, "{");
  if (accept(cursor, "}")) return object;
  for (;;) {
    const key = readKey(cursor);
    if (order === null && isIndexKey(key)) order = Object.keys(object);
    if (order !== null && !Object.hasOwn(object, key)) order.push(key);
    setKey(object, key, readValue(cursor, depth));
    skipSpace(cursor);
    if (cursor.text[cursor.at] === "}") break;
    if (!accept(cursor, ",")) throw new PythonJsonSyntaxError("a missing ',' or '}'", cursor.at);
  }
  cursor.at++;
  if (order !== null) {
    Object.defineProperty(object, KEY_ORDER, { value: order, enumerable: cursor.keepFloats, configurable: true });
  }
  return object;
}

function readValue(cursor: Cursor, depth: number): JsonValue {
  const mark = cursor.text[cursor.at];
  if (mark === '"') return readString(cursor);
  if (mark !== "{" && mark !== "[") return readScalar(cursor);
  if (depth === MAX_JSON_DEPTH) {
    throw new PythonJsonSyntaxError(`nesting deeper than ${String(MAX_JSON_DEPTH)} levels`, cursor.at);
  }
  return mark === "{" ? readObject(cursor, depth + 1) : readArray(cursor, depth + 1);
}

/**
 * Reads one JSON text token by token, exactly; see {@link parsePythonJson} for what that means.
 *
 * @throws PythonJsonSyntaxError
 */
export function readPythonJson(text: string, keepFloats: boolean): JsonValue {
  const cursor: Cursor = { text, keepFloats, at: 0 };
  skipSpace(cursor);
  const value = readValue(cursor, 0);
  skipSpace(cursor);
  if (cursor.at < text.length) throw new PythonJsonSyntaxError("text after the value", cursor.at);
  return value;
}
