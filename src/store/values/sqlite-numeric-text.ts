/** What SQLite reads from text: its value as a double, and exactly if it is spelled as an integer of 64 bits. */
export interface NumericText {
  real: number;
  integer: bigint | null;
}

const NUMERIC = /^[\t-\r ]*([+-]?)([0-9]*)(\.[0-9]*)?(?:[eE]([+-]?[0-9]+))?[\t-\r ]*$/;

/** SQLite adds digits to a 64-bit mantissa while it is below this and ignores the rest. */
const MANTISSA_LIMIT = 1844674407370955160n;

function toReal(whole: string, fraction: string, exponent: number): number {
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return 0;
  const used = BigInt(digits.slice(0, 19)) < MANTISSA_LIMIT ? 20 : 19;
  const unused = Math.max(digits.length - used, 0);
  return Number(`${digits.slice(0, used)}e${String(exponent - fraction.length + unused)}`);
}

/**
 * Reads text the way a column of INTEGER or REAL affinity does; null if the column keeps it as text. ASCII white space
 * may surround the number, a NUL ends it; no hexadecimal, no `inf`, no separators.
 */
export function readNumericText(text: string): NumericText | null {
  const nul = text.indexOf("\0");
  const match = NUMERIC.exec(nul < 0 ? text : text.slice(0, nul));
  if (!match) return null;
  const [, sign = "", whole = "", point, exponent] = match;
  const fraction = point?.slice(1) ?? "";
  if (whole === "" && fraction === "") return null;
  // Any exponent beyond this is zero or infinity; SQLite caps it as well.
  const power = Math.max(-99_999, Math.min(99_999, Number(exponent ?? 0)));
  const size = toReal(whole, fraction, power);
  const real = sign === "-" ? -size : size;
  if (point !== undefined || exponent !== undefined || nul >= 0) return { real, integer: null };
  const significant = whole.replace(/^0+/, "");
  if (significant.length > 19) return { real, integer: null };
  const integer = BigInt(sign === "-" ? `-${significant || "0"}` : significant || "0");
  return { real, integer: BigInt.asIntN(64, integer) === integer ? integer : null };
}
