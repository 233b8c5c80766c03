import { types } from "node:util";
import { LedgerError } from "../../events/ledger-error.js";
import { PyFloat } from "./json-value.js";
import { isTruthy } from "./truthiness.js";
import { sqliteRealText } from "./sqlite-real.js";
import { readNumericText } from "./sqlite-numeric-text.js";
import { hasLoneSurrogate } from "./text.js";

/** A stored value: NULL, INTEGER (bigint beyond 2^53), REAL, TEXT or BLOB. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** Text for a plain column holds a lone surrogate, so it has no UTF-8 form. */
export class LoneSurrogateError extends LedgerError {
  /** The column that the text was for. */
  readonly column: string;

  constructor(column: string) {
    const problem = `The text for column ${column} holds a lone surrogate, which can't be stored`;
    super("encoding", "LONE_SURROGATE", `${problem}. Nothing was written; replace it, for example by U+FFFD.`);
    this.column = column;
  }
}

/** An integer for a column is outside signed 64 bits. */
export class IntegerRangeError extends LedgerError {
  /** The column that the integer was for. */
  readonly column: string;

  constructor(column: string, value: bigint) {
    const shown = value.toString().length > 40 ? "of more than 40 digits" : value.toString();
    const problem = `The integer ${shown} for column ${column} is outside signed 64 bits`;
    super("range", "INTEGER_OUT_OF_RANGE", `${problem}. Nothing was written.`);
    this.column = column;
  }
}

/** A value for a plain column is neither text, number, boolean, bytes nor null. */
export class UnbindableValueError extends LedgerError {
  /** The column that the value was for. */
  readonly column: string;

  constructor(column: string, value: unknown) {
    const problem = `Column ${column} can't hold ${kindOf(value)}`;
    super(
      "type",
      "UNBINDABLE_VALUE",
      `${problem}. Nothing was written; give text, a number, a boolean, bytes or null.`,
    );
    this.column = column;
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (types.isDate(value)) return "a date";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A value as the database driver would be given it, before any affinity. */
type Bound =
  | { type: "null" }
  | { type: "blob"; value: Uint8Array }
  | { type: "text"; value: string }
  | { type: "integer"; value: bigint }
  | { type: "real"; value: number };

function bindNumber(value: number): Bound {
  if (Number.isNaN(value)) return { type: "null" };
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return { type: "integer", value: BigInt(value) };
  return { type: "real", value };
}

function bind(value: unknown, column: string): Bound {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "string") {
    if (hasLoneSurrogate(value)) throw new LoneSurrogateError(column);
    return { type: "text", value };
  }
  if (typeof value === "number") return bindNumber(value);
  if (typeof value === "boolean") return { type: "integer", value: value ? 1n : 0n };
  if (typeof value === "bigint") {
    if (BigInt.asIntN(64, value) !== value) throw new IntegerRangeError(column, value);
    return { type: "integer", value };
  }
  if (value instanceof PyFloat)
    return Number.isNaN(value.value) ? { type: "null" } : { type: "real", value: value.value };
  if (types.isUint8Array(value)) return { type: "blob", value };
  throw new UnbindableValueError(column, value);
}

function integerResult(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A REAL in a column of INTEGER affinity becomes an INTEGER where that loses nothing. */
function realToInteger(value: number): number | bigint {
  const fits = Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 63;
  return fits ? integerResult(BigInt(value)) : value;
}

/**
 * What a TEXT column stores of a value: text and bytes as they are, null for null, undefined and NaN, integers and
 * booleans as decimal text, floats as SQLite spells them. A number that is a safe integer is an integer (`5`), any
 * other number and every PyFloat is a float (`5.0`).
 *
 * @param column names the column in errors
 * @throws LoneSurrogateError | IntegerRangeError | UnbindableValueError
 */
export function textColumn(value: unknown, column: string): string | Uint8Array | null {
  const bound = bind(value, column);
  switch (bound.type) {
    case "null":
      return null;
    case "integer":
      return bound.value.toString();
    case "real":
      return sqliteRealText(bound.value);
    default:
      return bound.value;
  }
}

/**
 * What an INTEGER column stores of a value: integers, booleans, and whole floats and numeric text (`"12"`, `"12.0"`,
 * `" 1e3 "`) as integers; other floats and numeric text as floats; other text and bytes as they are; null for null,
 * undefined and NaN. Integers beyond 2^53 are bigint.
 *
 * @param column names the column in errors
 * @throws LoneSurrogateError | IntegerRangeError | UnbindableValueError
 */
export function integerColumn(value: unknown, column: string): SqlValue {
  const bound = bind(value, column);
  switch (bound.type) {
    case "null":
      return null;
    case "integer":
      return integerResult(bound.value);
    case "real":
      return realToInteger(bound.value);
    case "text": {
      const number = readNumericText(bound.value);
      if (number === null) return bound.value;
      return number.integer === null ? realToInteger(number.real) : integerResult(number.integer);
    }
    case "blob":
      return bound.value;
  }
}

/**
 * What a REAL column stores of a value: numbers, booleans and numeric text as floats, other text and bytes as they
 * are, null for null, undefined and NaN. Infinities are stored; -0 is stored as 0.
 *
 * @param column names the column in errors
 * @throws LoneSurrogateError | IntegerRangeError | UnbindableValueError
 */
export function realColumn(value: unknown, column: string): number | string | Uint8Array | null {
  const bound = bind(value, column);
  switch (bound.type) {
    case "null":
      return null;
    case "integer":
      return Number(bound.value);
    case "real":
      return bound.value + 0;
    case "text": {
      const number = readNumericText(bound.value);
      return number === null ? bound.value : number.real + 0;
    }
    case "blob":
      return bound.value;
  }
}

/** What a flag column stores: 1 for what Python counts as true, 0 for the rest ({@link isTruthy}). */
export function booleanColumn(value: unknown): 0 | 1 {
  return isTruthy(value) ? 1 : 0;
}
