import { encodePayload } from "../../events/index.js";
import type { SqlValue } from "../projection-sql.js";

/** How a column treats the values it is given: SQLite's affinity. */
export type Affinity = "text" | "integer" | "real";

const INT64_LIMIT = 2n ** 63n;
const REAL_LIMIT = 2 ** 63;
const NUMERIC_TEXT = /^[ \t-\r]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[ \t-\r]*$/;
const NUMERIC_PREFIX = /^[ \t-\r]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/;
const INTEGER_TEXT = /^[+-]?\d+$/;

/**
 * What a column of the given affinity holds after `value` was put into it. Whole numbers are numbers while a number
 * is exact and bigints within 64 bits beyond; any other number is a REAL. There is no negative zero.
 */
export function stored(affinity: Affinity, value: SqlValue): SqlValue {
  switch (typeof value) {
    case "number":
      return affinity === "text" ? String(value) : affinity === "integer" ? wholeReal(value) : unsignedZero(value);
    case "bigint":
      return affinity === "text" ? value.toString() : affinity === "integer" ? exact(value) : Number(value);
    case "string":
      return affinity === "text" ? value : fromText(affinity, value);
    default:
      return value;
  }
}

/**
 * `left + right` as SQL has it: NULL if either is NULL, whole numbers exact while the sum fits 64 bits, doubles
 * otherwise; text counts as the number it starts with.
 */
export function add(left: SqlValue, right: SqlValue): SqlValue {
  if (left === null || right === null) return null;
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) {
    const sum = Number(left) + Number(right);
    if (Number.isSafeInteger(sum)) return sum;
  }
  const a = operand(left);
  const b = operand(right);
  if (isWhole(a) && isWhole(b)) {
    const sum = BigInt(a) + BigInt(b);
    if (sum >= -INT64_LIMIT && sum < INT64_LIMIT) return exact(sum);
  }
  const sum = Number(a) + Number(b);
  return Number.isNaN(sum) ? null : sum;
}

/** What a column of the given affinity holds after `amount` was added to `held`; see {@link add}. */
export function grown(affinity: Affinity, held: SqlValue, amount: SqlValue): SqlValue {
  // A number in a REAL column is a REAL even if it is whole, so that the other operand is rounded before the sum is.
  const other = affinity === "real" && typeof held === "number" && typeof amount === "bigint" ? Number(amount) : amount;
  return stored(affinity, add(held, other));
}

/** SQLite's order of values: NULL, numbers, text by its UTF-8 bytes, bytes. Negative, zero or positive. */
export function compareValues(left: SqlValue, right: SqlValue): number {
  const rank = storageRank(left) - storageRank(right);
  if (rank !== 0 || left === null || right === null) return rank;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * A map key for a key column. Text stands for itself; what else a TEXT key may hold is marked by a lone surrogate,
 * which stored text cannot contain.
 */
export function keyOf(value: SqlValue): string {
  return typeof value === "string" ? value : `\uD800${encodePayload(value)}`;
}

/** A map key for several key columns: their JSON text. */
export function compositeKey(values: readonly SqlValue[]): string {
  return values.every((value) => typeof value === "string") ? JSON.stringify(values) : encodePayload(values);
}

function wholeReal(value: number): SqlValue {
  if (Number.isSafeInteger(value)) return unsignedZero(value);
  return Number.isInteger(value) && value > -REAL_LIMIT && value < REAL_LIMIT ? BigInt(value) : value;
}

function unsignedZero(value: number): number {
  return value === 0 ? 0 : value;
}

function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function fromText(affinity: Affinity, text: string): SqlValue {
  const literal = NUMERIC_TEXT.exec(text)?.[1];
  return literal === undefined ? text : stored(affinity, literalValue(literal));
}

function literalValue(literal: string): number | bigint {
  if (!INTEGER_TEXT.test(literal)) return Number(literal);
  const value = BigInt(literal.startsWith("+") ? literal.slice(1) : literal);
  return value >= -INT64_LIMIT && value < INT64_LIMIT ? value : Number(value);
}

function operand(value: string | number | bigint | Uint8Array): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  const text = typeof value === "string" ? value : Buffer.from(value).toString("utf8");
  return literalValue(NUMERIC_PREFIX.exec(text)?.[1] ?? "0");
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

function storageRank(value: SqlValue): number {
  if (value === null) return 0;
  return typeof value === "string" ? 2 : value instanceof Uint8Array ? 3 : 1;
}

function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above all others, although their numbers lie below U+E000. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
