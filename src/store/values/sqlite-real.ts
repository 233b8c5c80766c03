const MANTISSA_BITS = 64;
const SIGNIFICANT_DIGITS = 17;

/** floor(log2(10^n)) and floor(log10(2^n)), exact in the range of doubles. */
const log2OfPower10 = (n: number): number => (n * 108853) >> 15;
const log10OfPower2 = (n: number): number => (n * 78913) >> 18;

/** The most significant 64 bits of 10^n. */
function power10Bits(n: number): bigint {
  const shift = 63 - log2OfPower10(n);
  const power = 10n ** BigInt(Math.abs(n));
  if (n < 0) return (1n << BigInt(shift)) / power;
  return shift >= 0 ? power << BigInt(shift) : power >> BigInt(-shift);
}

/** A positive finite double as a 64-bit mantissa with its top bit set, and a power of two. */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << 52n) - 1n);
  const biased = Number(bits >> 52n);
  if (biased > 0) return { mantissa: (fraction << 11n) | (1n << 63n), exponent: biased - 1086 };
  const shift = MANTISSA_BITS - fraction.toString(2).length;
  return { mantissa: fraction << BigInt(shift), exponent: -1074 - shift };
}

/** About 18 significant digits of a positive finite double, and the power of ten of the last. */
function decimalDigits(value: number): { digits: string; exponent: number } {
  const { mantissa, exponent } = decompose(value);
  const power = SIGNIFICANT_DIGITS - log10OfPower2(exponent + 63);
  const high = (mantissa * power10Bits(power)) >> BigInt(MANTISSA_BITS);
  const shifted = high >> BigInt(-(exponent + log2OfPower10(power) + 2));
  return { digits: String((shifted + 1n) >> 1n), exponent: -power };
}

/** How many of the digits to keep: fewer than 17 where a run of nines or zeros shows a shorter number that is equal. */
function digitsToKeep(value: number, digits: string, exponent: number): number {
  const equal = (leading: bigint, count: number): boolean =>
    Number(`${String(leading)}e${String(exponent + digits.length - count)}`) === value;
  if (digits.startsWith("99", 14)) {
    const count = digits.slice(0, 14).replace(/9+$/, "").length;
    if (equal(BigInt(digits.slice(0, count)) + 1n, count)) return count + 1;
  } else if (exponent >= 0 || digits.startsWith("000", 13)) {
    const leading = digits.slice(0, 13).replace(/0+$/, "");
    if (equal(BigInt(leading), leading.length)) return leading.length + 1;
  }
  return SIGNIFICANT_DIGITS;
}

function layOut(digits: string, point: number): string {
  if (point < -3 || point > SIGNIFICANT_DIGITS) {
    const exponent = Math.abs(point - 1);
    return `${digits[0] ?? ""}.${digits.slice(1) || "0"}e${point < 1 ? "-" : "+"}${String(exponent).padStart(2, "0")}`;
  }
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  return `${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point) || "0"}`;
}

/**
 * The text that a column of TEXT affinity makes of a REAL, by the bundled SQLite: up to 17 significant digits, not
 * always the shortest ones (`0.33333333333333332`), exponents from `1.0e+17` and below `0.0001`, `Inf`, `-Inf`.
 *
 * SQLite computes the digits from the top 64 bits of a product, so they are not always correctly rounded; the same
 * steps are taken here.
 *
 * @param value not NaN, which is stored as NULL
 */
export function sqliteRealText(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? "-" : "";
  if (size === 0) return "0.0";
  if (size === Infinity) return `${sign}Inf`;
  const { digits, exponent } = decimalDigits(size);
  const keep = digitsToKeep(size, digits, exponent);
  const rounded = String(BigInt(digits.slice(0, keep)) + (digits.charAt(keep) >= "5" ? 1n : 0n));
  const point = digits.length + exponent + (rounded.length - keep);
  return sign + layOut(rounded.replace(/0+$/, ""), point);
}
