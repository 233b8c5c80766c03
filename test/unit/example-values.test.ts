import { describe, expect, test } from "vitest";
import { PyFloat } from "../../src/store/values/json-value.js";
import { parsePythonJson, toPythonJson } from "../../src/store/values/python-json.js";
import { withDeliberateDifferences } from "../conformance/support/deliberate-differences.js";
import type { Example } from "../conformance/support/example-file.js";
import {
  Approximately,
  decodeArgument,
  decodeValue,
  differences,
  type ExampleContext,
  pick,
} from "../conformance/support/example-values.js";
import { positionalArguments, signatureOf } from "../conformance/support/operation-signatures.js";

const result: ExampleContext = {
  clockAt: (step) => 1_800_000_000.25 + 1000 * step,
  step: null,
  directory: "/tmp/transcripts",
  pid: 4711,
};
const argument: ExampleContext = { ...result, step: 3 };

describe("times", () => {
  test.each([
    ["<ts:0>", 1_800_000_000.25],
    ["<ts:12>", 1_800_012_000.25],
    ["<ts:1+1500>", 1_800_002_500.25],
    ["<ts:0-86400>", 1_799_913_600.25],
  ])("%s is a number in a result", (text, value) => {
    expect(decodeValue(text, result)).toBe(value);
  });

  test.each([
    ["<ts>", 1_800_003_000.25],
    ["<ts+1500>", 1_800_004_500.25],
    ["<ts-8640000>", 1_791_363_000.25],
    ["<ts:2>", 1_800_002_000.25],
    ["<ts+1e-06>", 1_800_003_000.25 + 1e-6],
  ])("%s is a number in an argument of step 3", (text, value) => {
    expect(decodeValue(text, argument)).toBe(value);
  });

  test("a step is needed outside of arguments", () => {
    expect(() => decodeValue("<ts>", result)).toThrow("outside of arguments");
  });

  test("an offset with a fraction is known to six decimals", () => {
    expect(decodeValue("<ts:2+1e-06>", result)).toEqual(new Approximately(1_800_002_000.25 + 1e-6));
  });

  test("is decimal text in a text column and inside longer text", () => {
    expect(decodeValue("<ts:4>", result, true)).toBe("1800004000.25");
    expect(decodeValue("<ts:4+0.75>", result, true)).toBe("1800004001.0");
    expect(decodeValue('{"at": <ts:4>, "seen": <ts:1-1>}', result)).toBe(
      '{"at": 1800004000.25, "seen": 1800000999.25}',
    );
  });

  test("other text in angle brackets is only text", () => {
    expect(decodeValue("<memory-context>a</memory-context>", result)).toBe("<memory-context>a</memory-context>");
    expect(decodeValue("<ts:x>", result)).toBe("<ts:x>");
  });
});

describe("values", () => {
  test("the folder and the process", () => {
    expect(decodeValue("<dir>", argument)).toBe("/tmp/transcripts");
    expect(decodeValue("<pid>", argument)).toBe(4711);
    expect(decodeValue("pid=<pid>:x", argument)).toBe("pid=4711:x");
  });

  test("special values, at any depth", () => {
    const text = '[{"$int": "9223372036854775808"}, {"a": {"$bytes": "01ff"}}, {"$date": 42.5}, {"$float": "-inf"}]';
    const decoded = decodeValue(parsePythonJson(text, { keepFloats: true }), argument);
    expect(decoded).toEqual([
      9223372036854775808n,
      { a: new Uint8Array([1, 255]) },
      new Date(42_500),
      Number.NEGATIVE_INFINITY,
    ]);
    expect(decodeValue({ $float: "nan" }, argument)).toBeNaN();
    expect(() => decodeValue({ $float: "big" }, argument)).toThrow("unknown");
    expect(() => decodeValue({ $set: [] }, argument)).toThrow("unknown");
  });

  test("an object with more keys than a special one is an ordinary object", () => {
    expect(decodeValue({ $int: "1", b: 2 }, argument)).toEqual({ $int: "1", b: 2 });
  });

  test("lone surrogates and NUL stay", () => {
    const text = String.raw`["a\ud83dz", "x\u0000y"]`;
    expect(decodeValue(parsePythonJson(text), argument)).toEqual(["a\ud83dz", "x\0y"]);
  });

  test("an argument is a plain number, but keeps its floats inside", () => {
    const parsed = parsePythonJson('{"top": 1.0, "list": [1.0, 1]}', { keepFloats: true });
    expect(decodeArgument(new PyFloat(1), argument)).toBe(1);
    expect(toPythonJson(decodeArgument(parsed, argument))).toBe('{"top": 1.0, "list": [1.0, 1]}');
  });

  test("the order of integer-like keys survives", () => {
    const parsed = parsePythonJson('{"b": 1, "7": "<ts:0>"}', { keepFloats: true });
    expect(toPythonJson(decodeArgument(parsed, argument))).toBe('{"b": 1, "7": 1800000000.25}');
  });
});

describe("pick", () => {
  test("a list keeps those keys of every object; missing ones stay missing", () => {
    expect(pick([{ a: 1, b: 2 }, { b: 3 }], ["a"])).toEqual([{ a: 1 }, {}]);
    expect(pick({ a: 1, b: 2 }, ["b", "c"])).toEqual({ b: 2 });
    expect(pick(null, ["a"])).toBeNull();
  });

  test("an object keeps its keys and narrows what is below", () => {
    const value = { window: [{ id: 1, role: "user" }], count: { n: 1 }, other: 5 };
    expect(pick(value, { window: ["id"], count: null })).toEqual({ window: [{ id: 1 }], count: { n: 1 } });
  });
});

describe("differences", () => {
  test.each([
    [1, new PyFloat(1)],
    [1n, 1],
    [2n ** 63n, 2n ** 63n],
    [Number.NaN, Number.NaN],
    [Buffer.from([1, 2]), new Uint8Array([1, 2])],
    [{ a: [1, { b: null }] }, { a: [new PyFloat(1), { b: null }] }],
    [1_800_000_000.250001, new Approximately(1_800_000_000.25 + 1e-6)],
  ])("%o equals %o", (actual, expected) => {
    expect(differences(actual, expected)).toEqual([]);
  });

  test.each([
    [1, 2],
    [1, "1"],
    [1, true],
    [0, null],
    [undefined, null],
    [0.1 + 0.2, 0.3],
    [2n ** 63n, 2 ** 63],
    [new Uint8Array([1]), new Uint8Array([2])],
    [[1], { 0: 1 }],
    [[1, 2], [1]],
    [[1], [1, 2]],
    [{ a: 1 }, {}],
    [{}, { a: null }],
    [{ a: undefined }, {}],
    [1_800_000_000.25, new Approximately(1_800_000_000.25 + 1e-6)],
    [1_800_000_000.250002, new Approximately(1_800_000_000.25 + 1e-6)],
    ["1800000000.25", 1_800_000_000.25],
  ])("%o differs from %o", (actual, expected) => {
    expect(differences(actual, expected)).toHaveLength(1);
  });

  test("says where", () => {
    expect(differences({ a: [{ b: 1 }] }, { a: [{ b: 2 }], c: null })).toEqual([
      "result.a[0].b: 1 instead of 2",
      "result.c: missing, expected null",
    ]);
  });
});

describe("arguments by name", () => {
  test("required ones are positional, the others one object that is left out when empty", () => {
    const signature = signatureOf("update_session_cwd");
    expect(positionalArguments(signature, { cwd: "/srv", session_id: "s" })).toEqual(["s", "/srv"]);
    const named = { git_branch: "main", session_id: "s", cwd: null };
    expect(positionalArguments(signature, named)).toEqual(["s", null, { git_branch: "main" }]);
    expect(() => positionalArguments(signature, { session_id: "s" })).toThrow("cwd is missing");
  });

  test("creating a session and appending a message take one object", () => {
    const named = { session_id: "s", role: "user" };
    expect(positionalArguments(signatureOf("append_message"), named)).toEqual([named]);
  });

  test("unknown names reach the store", () => {
    expect(positionalArguments(signatureOf("prune_sessions"), { bogus: 1 })).toEqual([{ bogus: 1 }]);
  });

  test("names are in camel case, without the component", () => {
    expect(signatureOf("get_messages_as_conversation").method).toBe("getMessagesAsConversation");
    expect(signatureOf("async_delegation.persist_dispatch")).toMatchObject({
      place: "delegations",
      method: "persistDispatch",
    });
    expect(() => signatureOf("drop_everything")).toThrow("drop_everything");
  });
});

test("a deliberate difference replaces one answer and one table", () => {
  const refusal = { kind: "state", type: "StateError" };
  const example: Example = {
    id: "e",
    title: "t",
    covers: [],
    steps: [
      { op: "get_meta", args: { key: "a" }, returns: "1" },
      { op: "get_meta", args: { key: "b" }, pick: ["x"], returns: "2" },
    ],
    rows: { sessions: [{ id: "s" }], state_meta: [{ key: "a" }] },
  };
  const list = [
    { example: "e", reason: "better", steps: { 1: { raises: refusal } }, rows: { sessions: [{ id: "t" }] } },
    { example: "other", reason: "better", steps: { 0: { returns: "9" } } },
  ];
  expect(withDeliberateDifferences(example, list)).toEqual({
    ...example,
    steps: [example.steps[0], { op: "get_meta", args: { key: "b" }, pick: ["x"], raises: refusal }],
    rows: { sessions: [{ id: "t" }], state_meta: [{ key: "a" }] },
  });
});
