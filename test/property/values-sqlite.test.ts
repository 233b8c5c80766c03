import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { integerColumn, realColumn, textColumn } from "../../src/store/values/columns.js";
import { PyFloat } from "../../src/store/values/python-json.js";
import { lowerAscii } from "../../src/store/values/text.js";

const db = new Database(":memory:");
db.exec("CREATE TABLE stored (t TEXT, i INTEGER, r REAL)");
const insert = db.prepare("INSERT INTO stored VALUES (?, ?, ?) RETURNING t, i, r").raw().safeIntegers();

type Bindable = string | number | bigint | Uint8Array | null;

/** The driver binds numbers as REAL and bigint as INTEGER; ours binds safe integers as INTEGER. */
function bindAsOurs(value: unknown): Bindable {
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (value instanceof PyFloat) return value.value;
  if (typeof value === "string" || typeof value === "bigint" || value instanceof Uint8Array) return value;
  return null;
}

/** Small integers as numbers, as ours gives them. */
function shown(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function check(value: unknown): void {
  const bound = bindAsOurs(value);
  const stored = insert.get(bound, bound, bound);
  const ours = [textColumn(value, "t"), integerColumn(value, "i"), realColumn(value, "r")];
  expect(ours.map(shown)).toStrictEqual(Array.isArray(stored) ? stored.map(shown) : stored);
  // What was computed is stored as it is: storing it again changes nothing.
  const again = insert.get(...ours.map(bindAsOurs));
  expect(again).toStrictEqual(stored);
}

const digits = fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), maxLength: 24 });
const numericText = fc.oneof(
  fc.double().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toPrecision(17)),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc
    .tuple(
      fc.constantFrom("", " ", "-", "+", "\n-"),
      digits,
      fc.constantFrom("", "."),
      digits,
      fc.integer({ min: -350, max: 350 }),
    )
    .chain(([start, whole, point, fraction, exponent]) =>
      fc
        .constantFrom("", ` `, "\0", `e${String(exponent)}`, `E+${String(Math.abs(exponent))}\t`, "e", "x")
        .map((end) => start + whole + point + fraction + end),
    ),
  fc.constantFrom(
    "0x10",
    "1_000",
    "inf",
    "nan",
    ".",
    "+",
    "9223372036854775807",
    "9223372036854775808",
    "\u00a05",
    "-0",
  ),
);

const values = fc.oneof(
  fc.double(),
  fc.double({ min: 1e9, max: 2e9 }),
  fc.tuple(fc.integer(), fc.nat({ max: 9 })).map(([whole, shift]) => whole / 10 ** shift),
  fc.constantFrom(
    -0,
    0,
    2 ** 53,
    2 ** 60,
    2 ** 63,
    -(2 ** 63),
    1e16,
    1e17,
    1e-4,
    1e-5,
    5e-324,
    NaN,
    Infinity,
    -Infinity,
  ),
  fc.constantFrom(
    1 / 3,
    0.1 + 0.2,
    49.47,
    99.99999999999999,
    0.09999999999999999,
    9.999999999999999e22,
    9.769143159527e21,
  ),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }).map((value) => new PyFloat(value)),
  fc.integer().map((value) => new PyFloat(value)),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.uint8Array({ maxLength: 4 }),
  fc.string(),
  numericText,
);

test.each([
  ["a tie that only the 20th digit breaks, which is not read", "3500000000000000.2501"],
  ["a tie that the 20th digit breaks, which is read", "1700000000000000.1251"],
  ["an integer beyond 2^53 before a NUL", "9007199254740993\0"],
  ["an integer beyond 2^53 after zeros", "0000000000009007199254740993"],
])("%s", (_, text) => {
  check(text);
});

test("columns store what SQLite stores", () => {
  db.transaction(() => {
    fc.assert(fc.property(values, check), { numRuns: 5000 });
  })();
});

test("lowerAscii is SQLite's LOWER", () => {
  const lower = db.prepare("SELECT LOWER(?)").pluck();
  const text = fc.string({ unit: fc.constantFrom(...Array.from("azAZÀàßİıÅ@[`{Ω")) });
  fc.assert(
    fc.property(text, (value) => {
      expect(lowerAscii(value)).toBe(lower.get(value));
    }),
  );
});
