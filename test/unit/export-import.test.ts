import { describe, expect, test } from "vitest";
import { LedgerError } from "../../src/events/index.js";
import { compactJsonSize } from "../../src/store/exchange/json-size.js";
import { importLimits } from "../../src/store/exchange/import-checks.js";
import { transcriptStore } from "../support/transcript-store.js";

const errorsOf = (result: { errors: readonly { error: string }[] }): string[] =>
  result.errors.map(({ error }) => error);

describe("an import of what is there already", () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const messages = [
    { role: "user", content: "ask", timestamp: 1 },
    { role: "assistant", content: [{ type: "text", text: "see" }], tool_calls: [call], timestamp: 2 },
    { role: "tool", content: "answer", tool_call_id: "c", tool_name: "f", timestamp: 3 },
  ];
  const entry = (changes: object = {}, at = 0): { id: string; messages: object[] } => ({
    id: "s",
    messages: messages.map((message, index) => (index === at ? { ...message, ...changes } : message)),
  });

  test.each<[string, { id: string; messages: object[] }]>([
    ["the same", entry()],
    ["another time", entry({ timestamp: 99 })],
    ["reasoning beside it", entry({ reasoning: "hm" }, 1)],
  ])("is no conflict with %s", (_what, again) => {
    const { db } = transcriptStore();
    expect(db.importSessions([entry()])).toMatchObject({ imported: 1 });
    expect(db.importSessions([again])).toEqual({
      ok: true,
      imported: 0,
      skipped: 1,
      detached: 0,
      imported_ids: [],
      skipped_ids: ["s"],
      errors: [],
    });
    expect(db.importSessions(db.exportAll())).not.toHaveProperty("conflicting_ids");
  });

  test.each<[string, { id: string; messages: object[] }]>([
    ["other text", entry({ content: "ask!" })],
    ["another role", entry({ role: "system" })],
    ["another part", entry({ content: [{ type: "text", text: "look" }] }, 1)],
    ["another call", entry({ tool_calls: [{ ...call, id: "d" }] }, 1)],
    ["an answer to another call", entry({ tool_call_id: "d" }, 2)],
    ["another tool", entry({ tool_name: "g" }, 2)],
    ["fewer messages", { id: "s", messages: messages.slice(1) }],
    ["more messages", { id: "s", messages: [...messages, { role: "user", content: "more" }] }],
  ])("is a conflict with %s, and changes nothing", (_what, other) => {
    const { db } = transcriptStore();
    db.importSessions([entry()]);
    const before = db.exportAll();
    expect(db.importSessions([other])).toMatchObject({ ok: true, skipped_ids: ["s"], conflicting_ids: ["s"] });
    expect(db.exportAll()).toEqual(before);
  });
});

describe("exporting", () => {
  test("everything comes last active first, with heartbeat and inactive messages counted as activity", () => {
    const { db, session, say, setClock } = transcriptStore();
    session("idle", { started_at: 10 });
    session("beating", { started_at: 1, last_activity_at: 30, archived: 1 });
    session("talking", { started_at: 2, parent_session_id: "idle" });
    setClock(20);
    const id = say("talking", "x");
    db.rewindToMessage("talking", id);
    const all = db.exportAll();
    expect(all.map(({ id, last_active, messages }) => [id, last_active, messages.length])).toEqual([
      ["beating", 30, 0],
      ["talking", 20, 0],
      ["idle", 10, 0],
    ]);
    expect([...db.exportEach()]).toEqual(all);
    session("other", { source: "cron" });
    expect([...db.exportEach({ source: "cron" })].map(({ id }) => id)).toEqual(["other"]);
    expect(db.exportAll({ source: "" })).toHaveLength(4);
  });

  test("one by one the store can be read, written and closed in between", () => {
    const { db, session, say } = transcriptStore();
    session("a", { started_at: 3 });
    session("b", { started_at: 2 });
    session("c", { started_at: 1 });
    const stream = db.exportEach();
    expect(stream.next().value).toMatchObject({ id: "a" });
    say("b", "said meanwhile");
    db.log.append({ type: "SessionsDeleted", payload: { session_ids: ["c"] } });
    expect(stream.next().value).toMatchObject({ id: "b", messages: [{ content: "said meanwhile" }] });
    expect(stream.next().done).toBe(true);
    const abandoned = db.exportEach();
    abandoned.next();
    db.close();
    expect(() => abandoned.next()).toThrow(LedgerError);
  });

  test("a lineage follows the oldest continuation, and a branch or a stray session is alone", () => {
    const { db, session, say, end } = transcriptStore();
    session("root", { started_at: 1 });
    session("late", { parent_session_id: "root", started_at: 9 });
    session("branch", { parent_session_id: "root", started_at: 2, model_config: '{"_branched_from": false}' });
    session("broken", { parent_session_id: "root", started_at: 3, model_config: '{"_branched_from": ' });
    say("root", "1");
    say("broken", "2");
    say("late", "3");
    end("root");
    const lineage = (id: string): unknown => db.exportSessionLineage(id)?.lineage_session_ids;
    expect([lineage("root"), lineage("broken"), lineage("late"), lineage("branch"), lineage("none")]).toEqual([
      ["root", "broken"],
      ["root", "broken"],
      ["late"],
      ["branch"],
      undefined,
    ]);
    expect(db.exportSessionLineage("root")).toMatchObject({
      id: "broken",
      message_count: 2,
      messages: [{ content: "1" }, { content: "2" }],
      segments: [{ id: "root" }, { id: "broken" }],
    });
  });

  test("a lineage ends where compression links form a cycle", () => {
    const { db, session, plant } = transcriptStore();
    session("a", { end_reason: "compression", ended_at: 5 });
    session("b", { end_reason: "compression", ended_at: 5, parent_session_id: "a" });
    plant("UPDATE sessions SET parent_session_id = 'b' WHERE id = 'a'");
    expect(db.exportSessionLineage("a")?.lineage_session_ids).toEqual(["b", "a"]);
  });
});

describe("importing", () => {
  test("what was exported comes back as it was, but for what belongs to the old store", () => {
    const from = transcriptStore();
    from.session("p", { started_at: 1, title: "T", model_config: '{"a":1}' });
    from.session("s", { parent_session_id: "p", model: "m", input_tokens: 2 ** 53 - 1, estimated_cost_usd: 0.25 });
    from.db.replaceMessages("p", [
      { role: "user", content: [{ type: "text", text: "é" }], timestamp: 1.5, platform_message_id: "pm" },
      {
        role: "assistant",
        content: "a",
        tool_calls: [{ id: "1", n: 1 }],
        reasoning: "r",
        reasoning_content: "",
        reasoning_details: [{ x: 1.5 }],
        codex_message_items: "plain text",
        token_count: 4,
        observed: true,
        api_content: "A",
        display_kind: "k",
        display_metadata: { d: 1 },
        timestamp: 2.5,
      },
    ]);
    from.end("p");
    const exported = from.db.exportAll();
    const to = transcriptStore();
    const before = JSON.stringify(exported);
    const result = to.db.importSessions(JSON.parse(before) as unknown[]);
    expect(JSON.stringify(exported)).toBe(before);
    expect(result).toMatchObject({ ok: true, imported: 2, detached: 0, imported_ids: ["s", "p"] });
    expect(to.db.exportSession("p")).toEqual(from.db.exportSession("p"));
    expect(to.db.exportSession("s")).toEqual(from.db.exportSession("s"));
    expect(to.eventTypes()).toEqual(["SessionImported", "SessionImported", "TranscriptRewritten", "SessionUpdated"]);
    expect([...to.db.log.read()].map(({ origin }) => origin)).toEqual(["import", "import", "import", "import"]);
  });

  test("a session that was deleted here comes back only when asked for", () => {
    const { db, session } = transcriptStore();
    session("gone");
    session("here");
    db.log.append({ type: "SessionsDeleted", payload: { session_ids: ["gone"] } });
    const sessions = [
      { id: "gone", messages: [{ role: "user", content: "again" }] },
      { id: "here" },
      { id: "new", parent_session_id: "gone" },
    ];
    expect(db.importSessions(sessions)).toEqual({
      ok: true,
      imported: 1,
      skipped: 2,
      detached: 1,
      imported_ids: ["new"],
      skipped_ids: ["gone", "here"],
      erased_ids: ["gone"],
      errors: [],
    });
    expect(db.exportSession("gone")).toBeNull();
    expect(db.importSessions(sessions, { restoreDeleted: true })).toMatchObject({ imported_ids: ["gone"], skipped: 2 });
    expect(db.exportSession("gone")?.messages).toMatchObject([{ content: "again" }]);
    expect(db.importSessions(sessions)).not.toHaveProperty("erased_ids");
  });

  test("ids are text, however they were written", () => {
    const { db } = transcriptStore();
    const result = db.importSessions([{ id: 5 }, { id: " x " }, { id: true }, { id: 1.5 }, { id: 2n ** 70n }]);
    expect(result.imported_ids).toEqual(["5", "x", "True", "1.5", "1180591620717411303424"]);
    expect(db.importSessions([{ id: 0 }, { id: " " }, { id: [] }, { id: false }]).errors).toEqual(
      [0, 1, 2, 3].map((index) => ({ index, error: "session id is required" })),
    );
  });

  test("an id may come again when its first entry was refused", () => {
    const { db } = transcriptStore();
    expect(db.importSessions([{ id: "a", title: 1 }, { id: "a" }, { id: "a" }]).errors).toEqual([
      { index: 0, error: "title must be a string", session_id: "a" },
      { index: 2, error: "duplicate session id", session_id: "a" },
    ]);
    expect(db.exportAll()).toEqual([]);
  });

  test("text that has no UTF-8 form, and what JSON can't say, is told", () => {
    const { db } = transcriptStore();
    const cycle: Record<string, unknown> = { id: "cycle" };
    cycle["self"] = cycle;
    const odd = [
      { id: "a", note: "\ud800" },
      { id: "b", "\udc00": 1 },
      { id: "c", when: new Date(0) },
      { id: "d", bytes: new Uint8Array(1) },
      cycle,
      { id: "e", ok: [Infinity, NaN, undefined, 2n ** 80n] },
    ];
    expect(errorsOf(db.importSessions(odd))).toEqual(
      Array.from({ length: 5 }, () => "session must be JSON serializable"),
    );
  });

  test("limits are told in their order: entries, messages of one, size of one, total size, total messages", () => {
    const { db } = transcriptStore();
    const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
    expect(() => db.importSessions(many(importLimits.sessions + 1, {}))).toThrow(
      "sessions must contain at most 500 entries",
    );
    const message = { role: "user" };
    const nearlyTooBig = (id: string): object => ({ id, note: "x".repeat(5_200_000) });
    expect(
      db.importSessions([
        { id: "a", messages: many(10_001, message) },
        { id: "b", note: "é".repeat(importLimits.bytesPerSession / 2) },
        ...["c", "d", "e", "f", "g"].map(nearlyTooBig),
        { ...nearlyTooBig("h"), title: 1 },
      ]).errors,
    ).toEqual([
      { index: 0, error: "messages exceeds the per-session import limit", session_id: "a" },
      { index: 1, error: "session exceeds the import size limit", session_id: "b" },
      { index: 7, error: "import exceeds the total size limit", session_id: "h" },
    ]);
    const full = ["1", "2", "3", "4", "5"].map((id) => ({ id, messages: many(10_000, message) }));
    expect(db.importSessions([...full, { id: "6", messages: [message] }, { id: "7" }]).errors).toEqual([
      { index: 5, error: "messages exceeds the total import limit", session_id: "6" },
      { index: 6, error: "messages exceeds the total import limit", session_id: "7" },
    ]);
  });

  test("values are converted as documented", () => {
    const { db } = transcriptStore();
    db.importSessions([
      {
        id: "a",
        source: "",
        started_at: " 1_0.5 ",
        ended_at: "junk",
        archived: "0",
        input_tokens: 5.9,
        output_tokens: "6.5",
        cache_read_tokens: true,
        api_call_count: "-3",
        actual_cost_usd: "nan",
        model_config: '{"a":1, "a":2}',
        title: " untidy \u0007",
        messages: [
          { role: "user", token_count: " 7 ", timestamp: "junk", reasoning: "dropped" },
          { role: "assistant", reasoning_details: "[]", codex_reasoning_items: "[1.0]", codex_message_items: "text" },
        ],
      },
      { id: "b", started_at: 0, model_config: {}, title: "" },
    ]);
    expect(db.exportSession("a")).toMatchObject({
      source: "import",
      started_at: 10.5,
      ended_at: null,
      archived: 1,
      input_tokens: 5,
      output_tokens: 0,
      cache_read_tokens: 1,
      api_call_count: -3,
      actual_cost_usd: null,
      model_config: '{"a":1, "a":2}',
      title: " untidy \u0007",
      message_count: 2,
      messages: [
        { token_count: 7, timestamp: 1000, reasoning: null },
        {
          timestamp: 1000.000001,
          reasoning_details: null,
          codex_reasoning_items: "[1.0]",
          codex_message_items: '"text"',
        },
      ],
    });
    expect(db.exportSession("b")).toMatchObject({ started_at: 0, model_config: "{}", title: "" });
  });

  test.each([
    [
      "a title twice in the payload",
      [
        { id: "a", title: "T" },
        { id: "b", title: "T" },
      ],
      "constraint",
    ],
    [
      "an empty title twice",
      [
        { id: "a", title: "" },
        { id: "b", title: "" },
      ],
      "constraint",
    ],
    ["a start that is no number", [{ id: "a", started_at: "nan" }], "constraint"],
    ["a message time that is no number", [{ id: "a", messages: [{ role: "user", timestamp: NaN }] }], "constraint"],
    ["an infinite counter", [{ id: "a", input_tokens: Infinity }], "range"],
    ["an infinite token count", [{ id: "a", messages: [{ role: "user", token_count: Infinity }] }], "range"],
    ["a counter beyond 64 bits", [{ id: "a", output_tokens: "9223372036854775808" }], "range"],
    ["a token count beyond 64 bits", [{ id: "a", messages: [{ role: "u", token_count: 2n ** 63n }] }], "range"],
  ])("%s is thrown, and nothing is imported", (_, sessions, kind) => {
    const { db, eventTypes } = transcriptStore();
    let thrown: unknown;
    try {
      db.importSessions([{ id: "first" }, ...sessions]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(LedgerError);
    expect(thrown).toMatchObject({ kind });
    expect(eventTypes()).toEqual([]);
    expect(db.exportAll()).toEqual([]);
  });

  test("cycles are opened through stored parents too; a cycle that was there before does no harm", () => {
    const { db, session, plant } = transcriptStore();
    session("x");
    session("y", { parent_session_id: "x" });
    session("orphan");
    plant(`UPDATE sessions SET parent_session_id = 'y' WHERE id = 'x';
      UPDATE sessions SET parent_session_id = 'c' WHERE id = 'orphan'`);
    expect(db.importSessions([{ id: "c", parent_session_id: "orphan" }])).toMatchObject({ imported: 1, detached: 1 });
    expect(
      db.importSessions([
        { id: "a", parent_session_id: " y " },
        { id: "b", parent_session_id: "a" },
      ]),
    ).toMatchObject({ detached: 0 });
    expect(db.exportSession("b")?.parent_session_id).toBe("a");
    expect(db.exportSession("a")?.parent_session_id).toBe("y");
  });
});

test("the size of compact JSON is that of its text in UTF-8", () => {
  for (const value of [{ a: [1, "é\n\u0001\u007f\u2028😀", null, true], ü: {} }, [], [[]], "x", 1.5, -0, 1e21, "\\"]) {
    const spelt = Object.is(value, -0) ? "-0.0" : value === 1e21 ? "1e+21" : JSON.stringify(value);
    expect(compactJsonSize(value)).toBe(Buffer.byteLength(spelt));
  }
});
