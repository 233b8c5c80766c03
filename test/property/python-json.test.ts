import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePythonJson, PyFloat, toPythonJson, tryParsePythonJson } from "../../src/store/values/python-json.js";
import { PythonJsonSyntaxError, readPythonJson } from "../../src/store/values/python-json-reader.js";
import { askPython, hasPython } from "../support/python.js";

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', "\\", "/", "\b", "\f", "\n", "\r", "\t", "\0", "\x1f", "\x7f", "\x80", "\u2028", "\ufeff"),
    fc.constantFrom("\ud800", "\udfff", "😀", "漢", "é", "\\u0031", "-0", "1234567890123456", '"1":', " 1.0"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
});
const key = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "toJSON", "0", "7", "10", "4294967294", "01", ""),
);
const beyondDouble = fc
  .bigInt({ min: -(2n ** 80n), max: 2n ** 80n })
  .filter((value) => !Number.isSafeInteger(Number(value)));
const wholeFloat = fc.integer().map((value) => new PyFloat(value));

function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

function valuesWith(scalar: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 5 }),
    object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map(objectOf),
  })).value;
}

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(-0, 1e16, 1e22, 2 ** 53, 1e-7, NaN, Infinity, -Infinity),
  beyondDouble,
  text,
);
const value = valuesWith(scalar);
const valueWithWholeFloats = valuesWith(fc.oneof(scalar, wholeFloat));

/** Text that is JSON, nearly JSON, or made of JSON's pieces. */
const nearlyJson = fc.oneof(
  valueWithWholeFloats.map(toPythonJson),
  fc.tuple(valueWithWholeFloats.map(toPythonJson), fc.nat(), fc.nat({ max: 3 }), text).map(([json, at, cut, more]) => {
    const index = at % (json.length + 1);
    return json.slice(0, index) + more.slice(0, 2) + json.slice(index + cut);
  }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom("[", "]", "{", "}", ",", ":", " ", "\n", "\v", "\u00a0", "\ufeff", "null", "true", "nul", "-"),
        fc.constantFrom("0", "-0", "01", "1.0", "1.", ".5", "-0.0", "1e5", "1E+400", "-1e-400", "9007199254740993"),
        fc.constantFrom('""', '"a":', '"7":', '"\\u0037":', '"\\ud83d"', '"\\u12g4"', '"\\x"', '"\t"', '"', "'"),
        fc.constantFrom("NaN", "-NaN", "Infinity", "-Infinity", "+1", "1_0", "0x1", "\u0661"),
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join("")),
  fc.constantFrom('{"b": 1, "7": 2, "a": 3, "0": 4, "b": 5}', '{"__proto__": {"x": 1}}', '[{"2": [], "1": {}}]'),
);

function outcome(read: () => unknown): unknown {
  try {
    const value = read();
    return { value, keysInOrder: toPythonJson(value) };
  } catch (error) {
    if (!(error instanceof PythonJsonSyntaxError)) throw error;
    return { refused: error.message };
  }
}

describe("JSON text", () => {
  test("what is written is read back the same", () => {
    fc.assert(
      fc.property(value, (original) => {
        // Not toStrictEqual, which takes a key "constructor" for the class of the object.
        deepStrictEqual(parsePythonJson(toPythonJson(original)), original);
      }),
      { numRuns: 1000 },
    );
  });

  test("text made by the writer is rewritten without a change", () => {
    fc.assert(
      fc.property(valueWithWholeFloats, (original) => {
        const json = toPythonJson(original);
        expect(toPythonJson(parsePythonJson(json, { keepFloats: true }))).toBe(json);
      }),
      { numRuns: 1000 },
    );
  });

  test("every byte of it is printable ASCII", () => {
    fc.assert(fc.property(value, (original) => /^[ -~]*$/.test(toPythonJson(original))));
  });

  test("the fast path reads what the exact reader reads, and refuses what it refuses", () => {
    fc.assert(
      fc.property(nearlyJson, fc.boolean(), (json, keepFloats) => {
        const exact = outcome(() => readPythonJson(json, keepFloats));
        deepStrictEqual(
          outcome(() => parsePythonJson(json, { keepFloats })),
          exact,
        );
      }),
      { numRuns: 2000 },
    );
  });

  test.skipIf(!hasPython)("Python rewrites the same texts to the same texts, and refuses the same", () => {
    const source = `
def answer(text):
    try:
        return json.dumps(json.loads(text))
    except json.JSONDecodeError:
        return None
`;
    fc.assert(
      fc.property(fc.array(nearlyJson, { minLength: 300, maxLength: 600, size: "max" }), (texts) => {
        const ours = texts.map((json) => {
          const read = tryParsePythonJson(json, { keepFloats: true });
          return read.ok ? toPythonJson(read.value) : null;
        });
        expect(ours).toStrictEqual(askPython(source, texts));
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });
});
