import { describe, expect, test } from "vitest";
import {
  NotSerializableError,
  orderedKeys,
  parsePythonJson,
  PyFloat,
  PythonJsonSyntaxError,
  toPythonJson,
  tryParsePythonJson,
  type JsonValue,
} from "../../src/store/values/python-json.js";

function readForRewriting(json: string): { [key: string]: JsonValue } {
  const value = parsePythonJson(json, { keepFloats: true });
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof PyFloat) {
    throw new Error("not an object");
  }
  return value;
}

describe("writing", () => {
  test.each<[unknown, string]>([
    [null, "null"],
    [undefined, "null"],
    [true, "true"],
    [5, "5"],
    [-0, "-0.0"],
    [1.5, "1.5"],
    [new PyFloat(1), "1.0"],
    [1e16, "1e+16"],
    [2 ** 53, "9007199254740992.0"],
    [2 ** 53 - 1, "9007199254740991"],
    [1e22, "1e+22"],
    [1e-7, "1e-07"],
    [0.0001, "0.0001"],
    [NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [10n ** 30n, "1000000000000000000000000000000"],
    [[], "[]"],
    [{}, "{}"],
    [[1, "a", null], '[1, "a", null]'],
    [{ b: 1, a: { c: [] } }, '{"b": 1, "a": {"c": []}}'],
    [{ a: undefined, b: [undefined, 1] }, '{"b": [null, 1]}'],
    [Object.create(null), "{}"],
    ['\b\f\n\r\t"\\/', '"\\b\\f\\n\\r\\t\\"\\\\/"'],
    ["\0\x1f\x7f\x80é\u2028😀\ud800", '"\\u0000\\u001f\\u007f\\u0080\\u00e9\\u2028\\ud83d\\ude00\\ud800"'],
  ])("%o", (value, json) => {
    expect(toPythonJson(value)).toBe(json);
  });

  const loop: unknown[] = [];
  loop.push({ loop });

  test.each<[string, unknown, string]>([
    ["bytes", new Uint8Array(1), "a Uint8Array"],
    ["a function", () => 1, "a function"],
    ["a symbol", Symbol("s"), "a symbol"],
    ["a map", new Map(), "a Map"],
    ["a set", new Set(), "a Set"],
    ["a date", new Date(0), "a Date"],
    ["a cycle", loop, "itself"],
  ])("%s can't be written", (_, value, named) => {
    const write = (): string => toPythonJson({ list: [value] });
    expect(write).toThrow(NotSerializableError);
    expect(write).toThrow(named);
    expect(write).toThrow(expect.objectContaining({ kind: "type", code: "NOT_SERIALIZABLE" }));
  });

  test("the same object may stand in two places", () => {
    const shared = { a: 1 };
    expect(toPythonJson([shared, shared])).toBe('[{"a": 1}, {"a": 1}]');
    const list: unknown[] = [];
    expect(toPythonJson({ x: list, y: [list] })).toBe('{"x": [], "y": [[]]}');
  });
});

describe("reading", () => {
  test.each<[string, unknown]>([
    [" \t\r\n[1 , 2] ", [1, 2]],
    ['{"a": 1, "b": 2, "a": 3}', { a: 3, b: 2 }],
    ["[NaN, Infinity, -Infinity]", [NaN, Infinity, -Infinity]],
    ["-0", 0],
    ["-0.0", -0],
    ["1.0", 1],
    ["1e400", Infinity],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-123456789012345678901234567890", -123456789012345678901234567890n],
    ["12345678901234567890.0", 12345678901234567000],
    ['"\\ud83d\\ude00\\ud800\\/"', "😀\ud800/"],
    ['"\u2028\x7f"', "\u2028\x7f"],
  ])("%j", (json, value) => {
    expect(parsePythonJson(json)).toStrictEqual(value);
  });

  test("a key __proto__ is data", () => {
    for (const options of [{}, { keepFloats: true }]) {
      const value = parsePythonJson('{"__proto__": {"x": 1.0}, "7": 1}', options);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.keys(value ?? {})).toStrictEqual(["7", "__proto__"]);
    }
  });

  test("floats and integers are told apart on request", () => {
    const json = '[1, 1.0, 1.5, -0.0, -0, 1e2, 1e+22, {"a": 2.0}]';
    const value = parsePythonJson(json, { keepFloats: true });
    expect(value).toStrictEqual([1, new PyFloat(1), 1.5, -0, 0, new PyFloat(100), 1e22, { a: new PyFloat(2) }]);
    expect(toPythonJson(value)).toBe('[1, 1.0, 1.5, -0.0, 0, 100.0, 1e+22, {"a": 2.0}]');
  });

  test.each<[string, number]>([
    ["", 0],
    ["\ufeff1", 0],
    ["\u00a01", 0],
    ["1 2", 2],
    ["01", 1],
    ["1.", 1],
    ["+1", 0],
    ["-NaN", 0],
    ["nul", 0],
    ["[1,]", 3],
    ["[1 2]", 3],
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ["{1: 2}", 1],
    ["'a'", 0],
    ['"a', 0],
    ['"a\tb"', 2],
    ['"\\x"', 1],
    ['"\\u12g4"', 1],
    ["[", 1],
    ["{", 1],
  ])("%j is refused", (json, position) => {
    expect(() => parsePythonJson(json)).toThrow(PythonJsonSyntaxError);
    expect(() => parsePythonJson(json)).toThrow(expect.objectContaining({ kind: "validation", position }));
    expect(tryParsePythonJson(json)).toStrictEqual({ ok: false });
  });

  test("a result instead of an error", () => {
    expect(tryParsePythonJson("[1.0]")).toStrictEqual({ ok: true, value: [1] });
    expect(tryParsePythonJson("[1.0]", { keepFloats: true })).toStrictEqual({ ok: true, value: [new PyFloat(1)] });
  });
});

describe("nesting", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

  test("a thousand levels are read and written, more are refused", () => {
    expect(toPythonJson(parsePythonJson(nested(1000)))).toBe(nested(1000));
    expect(() => parsePythonJson(nested(1001))).toThrow("nesting deeper than 1000 levels at character 1000");
    expect(() => toPythonJson(JSON.parse(nested(1001)))).toThrow(NotSerializableError);
    expect(tryParsePythonJson(nested(1_000_000))).toStrictEqual({ ok: false });
    expect(tryParsePythonJson('{"a":'.repeat(100_000))).toStrictEqual({ ok: false });
  });

  test("brackets side by side or inside strings are not levels", () => {
    const wide = `[${'[], "[[[\\"[[\\\\", {}, '.repeat(2000)}[]]`;
    expect(parsePythonJson(wide)).toHaveLength(6001);
    const item = '["\\"]]]", "]\\\\", ';
    expect(() => parsePythonJson(`${item.repeat(1001)}1${"]".repeat(1001)}`)).toThrow("nesting deeper than 1000");
    expect(tryParsePythonJson(`${item.repeat(1000)}1${"]".repeat(1000)}`).ok).toBe(true);
  });
});

describe("order of keys", () => {
  const json = '{"b": 1, "7": {"2": 1.0, "x": [], "1": 2}, "a": 2, "0": 3}';

  test("integer-like keys stay where they were", () => {
    expect(toPythonJson(parsePythonJson(json, { keepFloats: true }))).toBe(json);
    expect(orderedKeys(readForRewriting(json))).toStrictEqual(["b", "7", "a", "0"]);
  });

  test("without keepFloats the object is plain and still written in order", () => {
    const value = parsePythonJson(json.replace("1.0", "1"));
    expect(value).toStrictEqual({ b: 1, "7": { "2": 1, x: [], "1": 2 }, a: 2, "0": 3 });
    expect(toPythonJson(value)).toBe(json.replace("1.0", "1"));
  });

  test("a key spelled with escapes is recognised", () => {
    expect(toPythonJson(parsePythonJson('{"b": 1, "\\u0037": 2}'))).toBe('{"b": 1, "7": 2}');
  });

  test("the order survives changes in place and copies", () => {
    const changed = '{"b": 1, "a": 5, "0": 3, "new": true}';
    const inPlace = readForRewriting(json);
    delete inPlace["7"];
    inPlace["a"] = 5;
    inPlace["new"] = true;
    expect(toPythonJson(inPlace)).toBe(changed);
    const { "7": _, ...copy } = readForRewriting(json);
    expect(toPythonJson({ ...copy, a: 5, new: true })).toBe(changed);
    expect(toPythonJson(Object.assign({}, copy, { a: 5, new: true }))).toBe(changed);
  });
});
