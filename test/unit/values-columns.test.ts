import { describe, expect, test } from "vitest";
import {
  booleanColumn,
  integerColumn,
  IntegerRangeError,
  LoneSurrogateError,
  realColumn,
  textColumn,
  UnbindableValueError,
} from "../../src/store/values/columns.js";
import { PyFloat } from "../../src/store/values/python-json.js";

const bytes = new Uint8Array([1, 255]);

describe("textColumn", () => {
  test.each<[unknown, string | Uint8Array | null]>([
    [null, null],
    [undefined, null],
    [NaN, null],
    ["a\0b", "a\0b"],
    ["", ""],
    [5, "5"],
    [-0, "0.0"],
    [1.5, "1.5"],
    [new PyFloat(1), "1.0"],
    [1 / 3, "0.33333333333333332"],
    [1e16, "10000000000000000.0"],
    [1e17, "1.0e+17"],
    [1e-5, "1.0e-05"],
    [5e-324, "4.9406564584124654e-324"],
    [-Infinity, "-Inf"],
    [true, "1"],
    [false, "0"],
    [2n ** 63n - 1n, "9223372036854775807"],
    [bytes, bytes],
  ])("%o", (value, stored) => {
    expect(textColumn(value, "content")).toBe(stored);
  });
});

describe("integerColumn", () => {
  test.each<[unknown, unknown]>([
    [undefined, null],
    [NaN, null],
    [5, 5],
    [1.5, 1.5],
    [new PyFloat(5), 5],
    [-0, 0],
    [2 ** 60, 2n ** 60n],
    [2 ** 63, 2 ** 63],
    [Infinity, Infinity],
    [true, 1],
    [5n, 5],
    [-(2n ** 63n), -(2n ** 63n)],
    ["12", 12],
    ["12.0", 12],
    [" 12 ", 12],
    ["1e3", 1000],
    ["1.5", 1.5],
    ["9223372036854775807", 9223372036854775807n],
    ["9223372036854775808", 9223372036854775808],
    ["0x10", "0x10"],
    ["1_000", "1_000"],
    ["abc", "abc"],
    ["", ""],
    [bytes, bytes],
  ])("%o", (value, stored) => {
    expect(integerColumn(value, "token_count")).toBe(stored);
  });
});

describe("realColumn", () => {
  test.each<[unknown, unknown]>([
    [null, null],
    [NaN, null],
    [5, 5],
    [-0, 0],
    [Infinity, Infinity],
    [true, 1],
    [2n ** 53n + 1n, 2 ** 53],
    [new PyFloat(2), 2],
    [" 1.5", 1.5],
    ["1e400", Infinity],
    ["inf", "inf"],
    ["abc", "abc"],
    [bytes, bytes],
  ])("%o", (value, stored) => {
    expect(realColumn(value, "timestamp")).toBe(stored);
  });
});

test("booleanColumn stores what counts as true", () => {
  expect([true, "0", NaN, [0]].map(booleanColumn)).toStrictEqual([1, 1, 1, 1]);
  expect([false, "", 0, null, undefined, {}].map(booleanColumn)).toStrictEqual([0, 0, 0, 0, 0, 0]);
});

describe.each([
  ["textColumn", textColumn],
  ["integerColumn", integerColumn],
  ["realColumn", realColumn],
])("%s refuses", (_, column) => {
  test("a lone surrogate", () => {
    expect(() => column("a\ud800", "role")).toThrow(LoneSurrogateError);
    expect(() => column("a\ud800", "role")).toThrow(expect.objectContaining({ kind: "encoding", column: "role" }));
    expect(column("😀", "role")).toBe("😀");
  });

  test("an integer outside 64 bits", () => {
    for (const value of [2n ** 63n, -(2n ** 63n) - 1n, 10n ** 100n]) {
      expect(() => column(value, "token_count")).toThrow(IntegerRangeError);
    }
    expect(() => column(2n ** 63n, "token_count")).toThrow("9223372036854775808 for column token_count");
    expect(() => column(2n ** 63n, "token_count")).toThrow(expect.objectContaining({ kind: "range" }));
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["an object", {}],
    ["a date", new Date(0)],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
  ])("%s", (kind, value) => {
    expect(() => column(value, "title")).toThrow(UnbindableValueError);
    expect(() => column(value, "title")).toThrow(`Column title can't hold ${kind}.`);
    expect(() => column(value, "title")).toThrow(expect.objectContaining({ kind: "type" }));
  });
});
