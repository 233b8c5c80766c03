import { types } from "node:util";
import { LedgerError } from "../../events/ledger-error.js";
import { PyFloat } from "./json-value.js";
import { isSpace } from "./text.js";

export { isTruthy } from "./truthiness.js";

/** A number is outside what can be stored: an infinity where an integer is needed. */
export class RangeRefusal extends LedgerError {
  constructor(what: string, value: number) {
    super("range", "NOT_FINITE", `${what} must be a finite integer, not ${floatText(value)}. Nothing was written.`);
  }
}

/** A value that must be an integer is none. */
export class ValidationRefusal extends LedgerError {
  constructor(what: string) {
    super("validation", "NOT_AN_INTEGER", `${what} must be an integer. Nothing was written.`);
  }
}

const INTEGER_TEXT = /^[+-]?[0-9](?:_?[0-9])*$/;
const FLOAT_TEXT =
  /^[+-]?(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?$/;
const WORD_TEXT = /^([+-]?)(?:inf(?:inity)?|(nan))$/i;

/** The value of a decimal digit of any script: digits stand in runs of ten from their zero. */
function digitValue(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((codePoint - zero) % 10);
}

/**
 * Numeric text with its white space removed and its digits as ASCII. Python's number parsers don't take the
 * separators U+001C-001F for white space, although `strip` does.
 */
function normalizeNumericText(text: string): string {
  const isBlank = (index: number): boolean => {
    const unit = text.charCodeAt(index);
    return isSpace(unit) && !(unit >= 0x1c && unit <= 0x1f);
  };
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end).replace(/(?![0-9])\p{Nd}/gu, digitValue);
}

function textToFloat(text: string): number | null {
  const plain = normalizeNumericText(text);
  if (FLOAT_TEXT.test(plain)) return Number(plain.replaceAll("_", ""));
  const word = WORD_TEXT.exec(plain);
  if (!word) return null;
  if (word[2] !== undefined) return NaN;
  return word[1] === "-" ? -Infinity : Infinity;
}

/**
 * A value as a float, where the documented operations take timestamps and costs: numbers, booleans (1 and 0), numeric
 * text as Python's `float()` reads it, a Date as its epoch seconds. Null if the value is none of these, an invalid
 * Date, or an integer too large for a float. NaN and the infinities are usable results.
 */
export function toFloat(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") return textToFloat(value);
  if (value instanceof PyFloat) return value.value;
  if (typeof value === "bigint") {
    const float = Number(value);
    return Number.isFinite(float) ? float : null;
  }
  if (types.isDate(value)) {
    const milliseconds = value.getTime();
    return Number.isNaN(milliseconds) ? null : milliseconds / 1000;
  }
  return null;
}

function shrink(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/**
 * A value as an integer, bigint beyond 2^53: numbers lose their fraction (toward zero), booleans are 1 and 0, text
 * must be an integer as Python's `int()` reads it (`"6.5"` is not). Null if the value is not usable: NaN, other text,
 * null, undefined, anything else. Callers that have a default use it then; those that have none use
 * {@link requireInt}. The result may be outside 64 bits: the column rules refuse that.
 *
 * @param what names the value in the error
 * @throws RangeRefusal for an infinity, which has no default
 */
export function toInt(value: unknown, what = "The value"): number | bigint | null {
  if (typeof value === "bigint") return shrink(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") {
    const plain = normalizeNumericText(value);
    if (!INTEGER_TEXT.test(plain)) return null;
    return shrink(BigInt(plain.replaceAll("_", "").replace(/^\+/, "")));
  }
  const number = value instanceof PyFloat ? value.value : value;
  if (typeof number !== "number" || Number.isNaN(number)) return null;
  if (!Number.isFinite(number)) throw new RangeRefusal(what, number);
  return shrink(BigInt(Math.trunc(number)));
}

/**
 * {@link toInt} for a value that must be there.
 *
 * @param what names the value in the error
 * @throws ValidationRefusal if it is not usable
 * @throws RangeRefusal for an infinity
 */
export function requireInt(value: unknown, what: string): number | bigint {
  const integer = toInt(value, what);
  if (integer === null) throw new ValidationRefusal(what);
  return integer;
}

/**
 * A float in Python's spelling (`repr`): shortest form that reads back the same, `.0` for whole values, exponents from
 * `1e+16` and below `0.0001` with at least two digits, `nan`, `inf`, `-inf`.
 */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(value) ? `${String(value)}.0` : String(value);
  return value.toExponential().replace(/([+-])(\d)$/, "$10$2");
}

/**
 * Rounds to a number of decimals (0 to 99) by the exact binary value, ties to the even digit, as Python's `round`.
 */
export function roundHalfEven(value: number, digits: number): number {
  const size = Math.abs(value);
  // From 2^52 on there are no fractions; NaN and infinities end here too.
  if (!(size < 2 ** 52)) return value;
  // A tie is an odd multiple of 1 / (2 * 10^digits). Its odd part must be whole once the power of two is taken out.
  const scaled = size * 2 ** (digits + 1);
  let rounded: number;
  if (Number.isInteger(scaled) && scaled % 2 === 1) {
    const below = (BigInt(scaled) * 5n ** BigInt(digits)) / 2n;
    rounded = Number(`${String(below % 2n === 0n ? below : below + 1n)}e-${String(digits)}`);
  } else {
    rounded = Number(size.toFixed(digits));
  }
  return value < 0 || Object.is(value, -0) ? -rounded : rounded;
}
