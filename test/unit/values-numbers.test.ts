import { describe, expect, test } from "vitest";
import {
  floatText,
  isTruthy,
  RangeRefusal,
  requireInt,
  roundHalfEven,
  toFloat,
  toInt,
  ValidationRefusal,
} from "../../src/store/values/numbers.js";
import { PyFloat } from "../../src/store/values/python-json.js";

describe("toFloat", () => {
  test.each<[unknown, number | null]>([
    [5, 5],
    [1.5, 1.5],
    [NaN, NaN],
    [-Infinity, -Infinity],
    [true, 1],
    [false, 0],
    [12n, 12],
    [2n ** 64n, 2 ** 64],
    [10n ** 400n, null],
    [new PyFloat(3), 3],
    [new Date(42500), 42.5],
    [new Date(NaN), null],
    [" 7 ", 7],
    ["1700000001.5", 1700000001.5],
    ["1e3", 1000],
    ["1_000.5", 1000.5],
    ["+.5", 0.5],
    ["5.", 5],
    ["-0", -0],
    ["inf", Infinity],
    ["-InFinity", -Infinity],
    ["nan", NaN],
    ["-NAN", NaN],
    ["1e400", Infinity],
    ["\u3000\u0661\u0662\u00a0", 12],
    ["\u{1d7d9}\u{1d7e3}", 11],
    ["\x1c5", null],
    ["", null],
    ["0x10", null],
    ["1__0", null],
    ["_1", null],
    ["1_", null],
    ["1_.5", null],
    ["1e", null],
    [".", null],
    ["+ 5", null],
    ["\ufeff5", null],
    ["\u00b2", null],
    ["junk", null],
    [null, null],
    [undefined, null],
    [[1], null],
    [{}, null],
    [new Uint8Array([53]), null],
  ])("%o", (value, float) => {
    expect(toFloat(value)).toBe(float);
  });
});

describe("toInt", () => {
  test.each<[unknown, number | bigint | null]>([
    [5.9, 5],
    [-5.9, -5],
    [-0.5, 0],
    [1e22, 10n ** 22n],
    [true, 1],
    [false, 0],
    [7n, 7],
    [2n ** 70n, 2n ** 70n],
    [new PyFloat(3), 3],
    [" 12 ", 12],
    ["-1_000", -1000],
    ["+0012", 12],
    ["9007199254740993", 9007199254740993n],
    ["\u0661\u0662", 12],
    ["6.5", null],
    ["1e3", null],
    ["", null],
    ["0x10", null],
    ["1__0", null],
    ["inf", null],
    [NaN, null],
    [null, null],
    [undefined, null],
    [[], null],
    [new Date(0), null],
  ])("%o", (value, integer) => {
    expect(toInt(value)).toBe(integer);
  });

  test("an infinity is out of range", () => {
    expect(() => toInt(Infinity, "streak")).toThrow(RangeRefusal);
    expect(() => toInt(new PyFloat(-Infinity), "streak")).toThrow("streak must be a finite integer, not -inf");
    expect(() => toInt(Infinity)).toThrow(expect.objectContaining({ kind: "range" }));
  });

  test("requireInt refuses what has no integer", () => {
    expect(requireInt("5", "count")).toBe(5);
    for (const value of [NaN, "6.5", null, []]) {
      expect(() => requireInt(value, "count")).toThrow(ValidationRefusal);
      expect(() => requireInt(value, "count")).toThrow(expect.objectContaining({ kind: "validation" }));
      expect(() => requireInt(value, "count")).toThrow("count must be an integer");
    }
    expect(() => requireInt(Infinity, "count")).toThrow(RangeRefusal);
  });
});

test.each([
  [1800000000.25, "1800000000.25"],
  [5, "5.0"],
  [-5, "-5.0"],
  [0, "0.0"],
  [-0, "-0.0"],
  [1e15, "1000000000000000.0"],
  [9999999999999998, "9999999999999998.0"],
  [1e16, "1e+16"],
  [1.5e16, "1.5e+16"],
  [1e-4, "0.0001"],
  [0.00012, "0.00012"],
  [9.9e-5, "9.9e-05"],
  [1e-7, "1e-07"],
  [5e-324, "5e-324"],
  [1e100, "1e+100"],
  [1.7976931348623157e308, "1.7976931348623157e+308"],
  [0.1 + 0.2, "0.30000000000000004"],
  [NaN, "nan"],
  [Infinity, "inf"],
  [-Infinity, "-inf"],
])("floatText(%d)", (value, text) => {
  expect(floatText(value)).toBe(text);
});

test.each([
  [0.25, 1, 0.2],
  [0.35, 1, 0.3],
  [0.75, 1, 0.8],
  [-0.25, 1, -0.2],
  [2.675, 2, 2.67],
  [0.125, 2, 0.12],
  [0.375, 2, 0.38],
  [0.5, 0, 0],
  [1.5, 0, 2],
  [2.5, 0, 2],
  [-0.04, 1, -0],
  [-0, 1, -0],
  [1e300, 1, 1e300],
  [1800000000.25, 1, 1800000000.2],
  [123456.65, 1, 123456.6],
  [Infinity, 1, Infinity],
  [NaN, 1, NaN],
])("roundHalfEven(%d, %d)", (value, digits, rounded) => {
  expect(roundHalfEven(value, digits)).toBe(rounded);
});

describe("isTruthy", () => {
  test.each([
    [["", 0, -0, 0n, null, undefined, false, [], {}, new Uint8Array(), new PyFloat(0), { a: undefined }], false],
    [["0", " ", 1, -1n, NaN, true, [0], { a: null }, new Uint8Array(1), new PyFloat(1), new Date(0), new Map()], true],
  ])("%o", (values, expected) => {
    expect(values.map(isTruthy)).toStrictEqual(values.map(() => expected));
  });
});
