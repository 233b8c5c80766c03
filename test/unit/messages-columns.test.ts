import { describe, expect, test } from "vitest";
import { decodeContent, encodeContent } from "../../src/store/messages/content.js";
import { decodeDisplayMetadata, encodeDisplayMetadata } from "../../src/store/messages/display-metadata.js";
import { decodeMessageRow } from "../../src/store/messages/message-row.js";
import { decodeToolCalls, encodeToolCalls } from "../../src/store/messages/tool-calls.js";
import { PyFloat } from "../../src/store/values/python-json.js";
import { storedRow } from "../support/stored-rows.js";

describe("content", () => {
  test("text is stored as it is, with lone surrogates replaced one by one", () => {
    expect(encodeContent("hello")).toBe("hello");
    expect(encodeContent("")).toBe("");
    expect(encodeContent("a\ud83dz\udc00\ud83d\ude00")).toBe("a\ufffdz\ufffd\ud83d\ude00");
  });

  test("null, numbers, booleans and bytes are bound as they are", () => {
    const bytes = new Uint8Array([1, 255]);
    for (const scalar of [null, 5, 1.5, 2n ** 60n, true, false, bytes]) expect(encodeContent(scalar)).toBe(scalar);
    expect(encodeContent(undefined)).toBeNull();
    const float = new PyFloat(1);
    expect(encodeContent(float)).toBe(float);
  });

  test("lists and objects, empty ones too, become the marker and escaped JSON text", () => {
    const parts = [
      { type: "text", text: "look é中" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ];
    expect(encodeContent(parts)).toBe(
      '\u0000json:[{"type": "text", "text": "look \\u00e9\\u4e2d"}, ' +
        '{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]',
    );
    expect(encodeContent({ k: [1, 2.5, true, null] })).toBe('\u0000json:{"k": [1, 2.5, true, null]}');
    expect(encodeContent([])).toBe("\u0000json:[]");
    expect(encodeContent({})).toBe("\u0000json:{}");
    expect(encodeContent(["\ud800"])).toBe('\u0000json:["\\ud800"]');
  });

  test("what JSON can't express is stored as its representation, never refused", () => {
    const cyclic: Record<string, unknown> = { name: "loop \ud800" };
    cyclic["self"] = cyclic;
    for (const value of [cyclic, new Map([["key", "value"]]), [new Uint8Array([7])], Symbol("sign"), () => 0]) {
      const stored = encodeContent(value);
      expect(stored).toBeTypeOf("string");
      expect(stored).not.toMatch(/^\u0000/);
      expect(stored).not.toMatch(/\p{Surrogate}/u);
    }
    expect(encodeContent(cyclic)).toContain("loop");
    expect(encodeContent(new Map([["key", "value"]]))).toMatch(/key.*value/);
  });

  test("the representation runs no code of the value", () => {
    const hostile = {
      call: () => 0,
      get trap(): never {
        throw new Error("getter ran");
      },
      [Symbol.for("nodejs.util.inspect.custom")]: () => "inspector ran",
      toString: () => "toString ran",
    };
    expect(encodeContent(hostile)).not.toMatch(/ ran$/);
  });

  test("structured content comes back as the value", () => {
    for (const value of [[{ type: "text", text: "x" }], { k: [1, 2.5, true, null] }, [], {}, 5, "text", null]) {
      expect(decodeContent(`\u0000json:${JSON.stringify(value)}`)).toEqual(value);
    }
  });

  test("text that only starts like the marker, or does not parse, comes back as stored", () => {
    for (const text of ["\u0000json:{", "\u0000json:", "\u0000JSON:[]", "json:[]", "x\u0000json:[]", "[1]", ""]) {
      expect(decodeContent(text)).toBe(text);
    }
    const bytes = new Uint8Array([1]);
    expect(decodeContent(bytes)).toBe(bytes);
    expect(decodeContent(null)).toBeNull();
  });

  test("plain text that happens to hold the marker and JSON is read as structured", () => {
    expect(decodeContent(encodeContent('\u0000json:{"a":1}'))).toEqual({ a: 1 });
  });
});

describe("display_metadata", () => {
  test.each<[unknown, string | null]>([
    [{ a: 1 }, '{"a": 1}'],
    ['{"b":2}', '{"b": 2}'],
    ["{}", "{}"],
    [{}, null],
    ["[1]", null],
    ["bad", null],
    [[1], null],
    ["", null],
    [null, null],
    [undefined, null],
    [5, null],
    [true, null],
    ['"{}"', null],
    ["1.0", null],
  ])("%j is stored as %j", (metadata, stored) => {
    expect(encodeDisplayMetadata(metadata)).toBe(stored);
  });

  test("text is written anew without changing its numbers", () => {
    expect(encodeDisplayMetadata('{"f":1.0,"i":1,"big":123456789012345678901}')).toBe(
      '{"f": 1.0, "i": 1, "big": 123456789012345678901}',
    );
  });

  test("an object that JSON can't express is a type refusal", () => {
    expect(() => encodeDisplayMetadata({ at: new Date(0) })).toThrow(expect.objectContaining({ kind: "type" }));
  });

  test.each<[unknown, unknown]>([
    [null, null],
    ['{"a": 1}', { a: 1 }],
    ["{}", {}],
    [JSON.stringify('{"a": 1}'), { a: 1 }],
    [JSON.stringify(JSON.stringify('{"a": 1}')), null],
    [JSON.stringify("not json"), null],
    ["[1]", null],
    ["5", null],
    ["null", null],
    ["{", null],
    ["", null],
    [new Uint8Array([123, 125]), null],
  ])("%j is read as %j", (stored, metadata) => {
    expect(decodeDisplayMetadata(stored)).toEqual(metadata);
  });

  test("a caller that writes it back gets floats apart from integers", () => {
    const metadata = decodeDisplayMetadata('{"f": 1.0, "i": 1}', { keepFloats: true });
    expect(encodeDisplayMetadata(metadata)).toBe('{"f": 1.0, "i": 1}');
    expect(decodeDisplayMetadata('{"f": 1.0}')).toEqual({ f: 1 });
  });
});

describe("tool_calls", () => {
  test.each<[unknown, string | null, number]>([
    [[{ id: "1" }, { id: "2" }], '[{"id": "1"}, {"id": "2"}]', 2],
    ['[{"id":"3"}]', '[{"id": "3"}]', 1],
    [{ id: "4" }, '{"id": "4"}', 1],
    [[], null, 0],
    ["", null, 0],
    ["not json", null, 0],
    ["{}", null, 1],
    [{}, null, 1],
    ["null", null, 0],
    [null, null, 0],
    [undefined, null, 0],
    [0, null, 1],
    ["0.0", null, 1],
    [false, null, 1],
    ["[1.0]", "[1.0]", 1],
    ['"text"', '"text"', 1],
  ])("%j is stored as %j and counts %i", (toolCalls, stored, calls) => {
    expect(encodeToolCalls(toolCalls)).toEqual({ stored, calls });
  });

  test("calls that JSON can't express are a type refusal", () => {
    expect(() => encodeToolCalls([new Map()])).toThrow(expect.objectContaining({ kind: "type" }));
  });

  test.each<[unknown, unknown]>([
    [null, null],
    ["", ""],
    ['[{"id": "1"}]', [{ id: "1" }]],
    ['{"id": "4"}', { id: "4" }],
    ["null", null],
    ["[", []],
    [new Uint8Array([91, 93]), []],
  ])("%j is read as %j", (stored, toolCalls) => {
    expect(decodeToolCalls(stored)).toEqual(toolCalls);
  });
});

test("a row is read with three columns decoded and the others raw", () => {
  const row = storedRow({
    role: "assistant",
    content: '\u0000json:[{"type": "text"}]',
    tool_calls: '[{"id": "c1"}]',
    reasoning_details: '[{"type": "x"}]',
    codex_reasoning_items: '[{"id": "rs_1"}]',
    codex_message_items: "{",
    observed: 1,
    display_metadata: '{"a": 1}',
  });
  const before = structuredClone(row);

  const message = decodeMessageRow(row);

  expect(message).toEqual({
    ...before,
    content: [{ type: "text" }],
    tool_calls: [{ id: "c1" }],
    display_metadata: { a: 1 },
  });
  expect(Object.keys(message)).toHaveLength(23);
  expect(row).toEqual(before);
});
