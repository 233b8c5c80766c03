import { describe, expect, test } from "vitest";
import { messageRecord as recordSchema } from "../../src/events/message-events.js";
import { appendRow } from "../../src/store/messages/append-row.js";
import { batchRows } from "../../src/store/messages/batch-rows.js";

const NOW = 1_800_000_000.25;
const append = (fields: Parameters<typeof appendRow>[0]) => appendRow(fields, { now: NOW });

const EVERY_FIELD = {
  role: "assistant",
  content: "answer",
  tool_name: "t",
  tool_calls: [{ id: "c1", type: "function", function: { name: "sh", arguments: '{"a": 1}' } }, { id: "c2" }],
  tool_call_id: "tc",
  token_count: 12,
  finish_reason: "tool_calls",
  reasoning: "r",
  reasoning_content: "rc",
  reasoning_details: [{ type: "x", text: "é" }],
  codex_reasoning_items: [{ id: "rs_1" }],
  codex_message_items: [{ id: "msg_1" }],
  platform_message_id: "pm-1",
  observed: true,
  effect_disposition: "applied",
  timestamp: 1_700_000_000.5,
  api_content: "ANSWER",
  display_kind: "note",
  display_metadata: { a: 1 },
};

const EVERY_COLUMN = {
  role: "assistant",
  content: "answer",
  tool_call_id: "tc",
  tool_calls:
    '[{"id": "c1", "type": "function", "function": {"name": "sh", "arguments": "{\\"a\\": 1}"}}, {"id": "c2"}]',
  tool_name: "t",
  effect_disposition: "applied",
  timestamp: 1_700_000_000.5,
  token_count: 12,
  finish_reason: "tool_calls",
  reasoning: "r",
  reasoning_content: "rc",
  reasoning_details: '[{"type": "x", "text": "\\u00e9"}]',
  codex_reasoning_items: '[{"id": "rs_1"}]',
  codex_message_items: '[{"id": "msg_1"}]',
  platform_message_id: "pm-1",
  observed: 1,
  api_content: "ANSWER",
  display_kind: "note",
  display_metadata: '{"a": 1}',
};

describe("one appended message", () => {
  test("every column, and the number of its calls", () => {
    const { row, calls } = append(EVERY_FIELD);
    expect(row).toEqual(EVERY_COLUMN);
    expect(calls).toBe(2);
    expect(recordSchema.parse({ ...row, id: 1 })).toEqual({ id: 1, ...EVERY_COLUMN });
  });

  test("columns that would be NULL are left out, unknown keys ignored", () => {
    const fields = { session_id: "s1", role: "user", content: "hello", tool_name: null, observed: false };
    expect(append(fields)).toEqual({ row: { role: "user", content: "hello", timestamp: NOW }, calls: 0 });
    expect(Object.keys(append(fields).row).sort()).toEqual(["content", "role", "timestamp"]);
  });

  test("the fields given are left alone", () => {
    const fields = structuredClone(EVERY_FIELD);
    append(fields);
    expect(fields).toEqual(EVERY_FIELD);
  });

  test("a tool row without calls adds none; calls count for any role", () => {
    expect(append({ role: "tool", tool_name: "shell", tool_call_id: "c1", content: "ok" }).calls).toBe(0);
    expect(append({ role: "user", tool_calls: [{ id: "1" }] }).calls).toBe(1);
    expect(append({ role: "user", tool_calls: {} })).toEqual({ row: { role: "user", timestamp: NOW }, calls: 1 });
  });

  test.each<[unknown, unknown]>([
    [5, "5"],
    [1.5, "1.5"],
    [true, "1"],
    [new Uint8Array([1, 255]), new Uint8Array([1, 255])],
    [undefined, undefined],
    [null, undefined],
    [Number.NaN, undefined],
    ["", ""],
    [[1], "\u0000json:[1]"],
  ])("content %j is stored as %j", (content, stored) => {
    expect(append({ role: "user", content }).row.content).toEqual(stored);
  });

  test("six text columns have lone surrogates replaced", () => {
    const { row } = append({
      role: "assistant",
      content: "a\ud83dz",
      tool_name: "t\udc00",
      reasoning: "r\ud800",
      reasoning_content: "c\udfff",
      api_content: "x\ud800",
      display_kind: "k\ud800",
    });
    expect(row).toEqual({
      role: "assistant",
      timestamp: NOW,
      content: "a\ufffdz",
      tool_name: "t\ufffd",
      reasoning: "r\ufffd",
      reasoning_content: "c\ufffd",
      api_content: "x\ufffd",
      display_kind: "k\ufffd",
    });
  });

  test.each(["role", "tool_call_id", "effect_disposition", "finish_reason", "platform_message_id"])(
    "a lone surrogate in %s is refused",
    (column) => {
      expect(() => append({ role: "user", [column]: "\ud800" })).toThrow(
        expect.objectContaining({ kind: "encoding", message: expect.stringContaining(column) as string }),
      );
    },
  );

  test.each(["role", "tool_call_id", "tool_name", "reasoning", "reasoning_content", "finish_reason", "token_count"])(
    "a list for the plain column %s is refused",
    (column) => {
      expect(() => append({ role: "user", [column]: [1] })).toThrow(expect.objectContaining({ kind: "type" }));
    },
  );

  test("plain columns have their affinity applied", () => {
    const { row } = append({ role: 5, tool_call_id: true, tool_name: 7, token_count: "12.0", finish_reason: 1.5 });
    expect(row).toEqual({
      role: "5",
      timestamp: NOW,
      tool_call_id: "1",
      tool_name: "7",
      token_count: 12,
      finish_reason: "1.5",
    });
    expect(append({ role: "user", token_count: "abc" }).row.token_count).toBe("abc");
    expect(append({ role: "user", token_count: 0 }).row.token_count).toBe(0);
    expect(() => append({ role: "user", token_count: 2n ** 63n })).toThrow(expect.objectContaining({ kind: "range" }));
  });

  test("reasoning is kept for every role; its JSON columns are NULL when empty and encode text as a JSON string", () => {
    const { row } = append({
      role: "tool",
      reasoning: "r",
      reasoning_content: "",
      reasoning_details: '[{"r":1}]',
      codex_reasoning_items: [],
      codex_message_items: {},
    });
    expect(row).toEqual({
      role: "tool",
      timestamp: NOW,
      reasoning: "r",
      reasoning_content: "",
      reasoning_details: '"[{\\"r\\":1}]"',
    });
  });

  test("of api_content and display_kind only text is kept", () => {
    expect(append({ role: "user", api_content: "", display_kind: "" }).row).toMatchObject({
      api_content: "",
      display_kind: "",
    });
    for (const value of [5, true, ["x"], { a: 1 }, null]) {
      expect(append({ role: "user", api_content: value, display_kind: value }).row).toEqual({
        role: "user",
        timestamp: NOW,
      });
    }
  });

  test.each<[unknown, 1 | undefined]>([
    [true, 1],
    [1, 1],
    ["0", 1],
    [[0], 1],
    [false, undefined],
    [0, undefined],
    ["", undefined],
    [[], undefined],
    [{}, undefined],
  ])("observed %j is stored as %j", (observed, stored) => {
    expect(append({ role: "user", observed }).row.observed).toBe(stored);
  });

  test.each<[unknown, number]>([
    [1_700_000_000, 1_700_000_000],
    [1_700_000_000.25, 1_700_000_000.25],
    ["1700000001.5", 1_700_000_001.5],
    [" 7 ", 7],
    [new Date(42_500), 42.5],
    [true, 1],
    [0, 0],
    [Infinity, Infinity],
    ["-inf", -Infinity],
    ["junk", NOW],
    ["", NOW],
    [[1], NOW],
    [new Date(Number.NaN), NOW],
    [null, NOW],
    [undefined, NOW],
  ])("timestamp %j is stored as %d", (timestamp, stored) => {
    expect(append({ role: "user", timestamp }).row.timestamp).toBe(stored);
  });

  test("-0 is stored as 0", () => {
    expect(append({ role: "user", timestamp: -0 }).row.timestamp).toBe(0);
  });

  test.each([
    ["role", { role: null }],
    ["role", {}],
    ["timestamp", { role: "user", timestamp: Number.NaN }],
    ["timestamp", { role: "user", timestamp: "nan" }],
  ])("a missing %s is a constraint refusal: %j", (column, fields) => {
    expect(() => append(fields)).toThrow(expect.objectContaining({ kind: "constraint", column }));
  });
});

describe("a batch", () => {
  test("role rules, platform ids and the running clock", () => {
    const { rows, calls } = batchRows(
      [
        { role: "user", content: "q", reasoning: "dropped", reasoning_details: [1], message_id: "pm1" },
        {
          role: "assistant",
          content: "a",
          reasoning: "kept",
          reasoning_content: "",
          reasoning_details: [{ t: 1 }],
          codex_reasoning_items: [1],
          codex_message_items: [2],
          tool_calls: '[{"id":"z"}]',
          observed: 1,
        },
        { content: "no role" },
        {
          role: "user",
          content: "ts",
          timestamp: 1_700_000_000,
          platform_message_id: "pm2",
          message_id: "ignored",
          api_content: "A",
          display_kind: "k",
          display_metadata: '{"a":1}',
          effect_disposition: "e",
          tool_name: "n",
          tool_call_id: "tc",
          token_count: 4,
          finish_reason: "f",
        },
      ],
      { now: NOW },
    );
    expect(calls).toBe(1);
    expect(rows).toEqual([
      { role: "user", content: "q", timestamp: NOW, platform_message_id: "pm1" },
      {
        role: "assistant",
        content: "a",
        tool_calls: '[{"id": "z"}]',
        timestamp: NOW + 1e-6,
        reasoning: "kept",
        reasoning_content: "",
        reasoning_details: '[{"t": 1}]',
        codex_reasoning_items: "[1]",
        codex_message_items: "[2]",
        observed: 1,
      },
      { role: "unknown", content: "no role", timestamp: NOW + 1e-6 + 1e-6 },
      {
        role: "user",
        content: "ts",
        tool_call_id: "tc",
        tool_name: "n",
        effect_disposition: "e",
        timestamp: 1_700_000_000,
        token_count: 4,
        finish_reason: "f",
        platform_message_id: "pm2",
        api_content: "A",
        display_kind: "k",
        display_metadata: '{"a": 1}',
      },
    ]);
  });

  test("past times do not pull the clock back, future ones push it on, unusable ones take it", () => {
    const times = [undefined, 5, "junk", NOW + 100, null].map((timestamp) => ({ role: "user", timestamp }));
    const stored = batchRows(times, { now: NOW }).rows.map((row) => row.timestamp);
    expect(stored).toEqual([NOW, 5, NOW + 1e-6 + 1e-6, NOW + 100, NOW + 100 + 1e-6]);
  });

  test.each(["user", "tool", "system", "unknown", "Assistant"])("role %s keeps no reasoning", (role) => {
    const { rows } = batchRows([{ ...EVERY_FIELD, role }], { now: NOW });
    const { reasoning, reasoning_content, reasoning_details, codex_reasoning_items, codex_message_items, ...rest } =
      EVERY_COLUMN;
    expect(rows).toEqual([{ ...rest, role }]);
  });

  test.each<[object, string | undefined]>([
    [{ platform_message_id: "p", message_id: "m" }, "p"],
    [{ platform_message_id: "", message_id: "m" }, "m"],
    [{ platform_message_id: null, message_id: 7 }, "7"],
    [{ message_id: "" }, ""],
    [{}, undefined],
  ])("the platform id of %j is %j", (ids, stored) => {
    expect(batchRows([{ role: "user", ...ids }], { now: NOW }).rows[0]?.platform_message_id).toBe(stored);
  });

  test("calls add up, the odd forms as for a single message", () => {
    const forms = [[{ id: "1" }, { id: "2" }], {}, 0, "null", "bad", null];
    const messages = forms.map((tool_calls) => ({ role: "assistant", tool_calls }));
    expect(batchRows(messages, { now: NOW }).calls).toBe(4);
  });

  test("an explicit null role is a constraint refusal, an absent one is `unknown`", () => {
    expect(() => batchRows([{ role: null }], { now: NOW })).toThrow(expect.objectContaining({ kind: "constraint" }));
    expect(batchRows([{}], { now: NOW }).rows).toEqual([{ role: "unknown", timestamp: NOW }]);
  });

  test("an entry that is no object is refused with its place", () => {
    for (const entry of [null, "text", [], 5]) {
      const messages: unknown[] = [{ role: "user" }, entry];
      expect(() => batchRows(messages as object[], { now: NOW })).toThrow(
        expect.objectContaining({ kind: "type", index: 1 }),
      );
    }
  });

  test("no messages, no rows", () => {
    expect(batchRows([], { now: NOW })).toEqual({ rows: [], calls: 0 });
  });
});
