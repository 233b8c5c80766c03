import { LedgerError } from "../../events/ledger-error.js";
import { integerColumn, textColumn, UnbindableValueError } from "./columns.js";
import { toFloat } from "./numbers.js";

/** An argument that must be a number is none. */
export class NotANumberError extends LedgerError {
  /** The argument. */
  readonly argument: string;

  constructor(argument: string) {
    super("type", "NOT_A_NUMBER", `${argument} must be a number or numeric text. Nothing was written.`);
    this.argument = argument;
  }
}

/**
 * An argument as a float; see {@link toFloat} for what counts as one. NaN and the infinities may come out.
 *
 * @throws NotANumberError
 */
export function floatArgument(value: unknown, name: string): number {
  const number = toFloat(value);
  if (number === null) throw new NotANumberError(name);
  return number;
}

/**
 * A counter as it is added: whole or fractional, any sign, bigint beyond 2^53. Null, undefined and NaN are 0.
 *
 * @throws NotANumberError | IntegerRangeError
 */
export function counterArgument(value: unknown, name: string): number | bigint {
  const counter = integerColumn(value, name) ?? 0;
  if (typeof counter !== "number" && typeof counter !== "bigint") throw new NotANumberError(name);
  return counter;
}

/**
 * An argument as the text that a TEXT column stores of it, or null; unlike a column it takes no bytes.
 *
 * @throws LoneSurrogateError | IntegerRangeError | UnbindableValueError
 */
export function textArgument(value: unknown, name: string): string | null {
  const text = textColumn(value, name);
  if (text === null || typeof text === "string") return text;
  throw new UnbindableValueError(name, value);
}

/**
 * {@link textArgument} for a key, which must be there.
 *
 * @throws LoneSurrogateError | IntegerRangeError | UnbindableValueError
 */
export function keyArgument(value: unknown, name: string): string {
  const text = textArgument(value, name);
  if (text === null) throw new UnbindableValueError(name, value);
  return text;
}
