import { beforeEach, describe, expect, test } from "vitest";
import type { EventDraft } from "../../src/index.js";
import { ledgerFile, tableContents, type LedgerFile } from "../support/ledger-file.js";

let file: LedgerFile;

/** Sessions `s` (two messages, titled), `t`, `child` of `s`, `ended`, `compressed`, `locked`; the clock stands at 1000. */
beforeEach(() => {
  file = ledgerFile();
  const { db, session, say } = file;
  session("s", "t", "ended", "compressed", "locked");
  db.log.append([
    { type: "SessionCreated", payload: { session_id: "child", fields: { source: "cli", parent_session_id: "s" } } },
    { type: "TitleSet", payload: { session_id: "s", title: "taken" } },
    { type: "SessionEnded", payload: { session_id: "ended", end_reason: "user_exit" } },
    { type: "SessionEnded", payload: { session_id: "compressed", end_reason: "compression" } },
    {
      type: "CompressionLockChanged",
      payload: { session_id: "locked", holder: "someone", acquired_at: 1, expires_at: 5000 },
    },
    {
      type: "TelegramTopicBound",
      payload: {
        chat_id: "c",
        thread_id: "1",
        user_id: "u",
        session_key: "k",
        session_id: "s",
        managed_mode: "auto",
        linked_at: 1,
        updated_at: 1,
      },
    },
  ]);
  say("s", "one");
  say("t", "two");
});

const message = (session_id: string, fields: Record<string, unknown> = {}): EventDraft => ({
  type: "MessageAppended",
  payload: { session_id, message: { role: "user", ...fields } },
});
const create = (session_id: string, fields: Record<string, unknown>): EventDraft => ({
  type: "SessionCreated",
  payload: { session_id, fields },
});
const rewrite = (change: Record<string, unknown>): EventDraft => ({
  type: "TranscriptRewritten",
  payload: {
    session_id: "s",
    mode: "all",
    through_id: 2,
    messages: [{ id: 3, role: "user", timestamp: 1 }],
    message_count: 1,
    tool_call_count: 0,
    ...change,
  },
});
const usage = (change: Record<string, unknown>): EventDraft => ({
  type: "UsageRecorded",
  payload: { session_id: "s", ...change },
});
const raw = (type: string, payload: unknown): EventDraft => ({ type, payload }) as EventDraft;

const refused: [string, EventDraft, { kind: string; code: string }][] = [
  ...[
    message("nobody"),
    raw("SessionEnded", { session_id: "nobody" }),
    raw("SessionReopened", { session_id: "nobody" }),
    raw("TitleSet", { session_id: "nobody", title: "x" }),
    raw("SessionUpdated", { session_id: "nobody", fields: {}, cause: "x" }),
    raw("ActivityRecorded", { session_id: "nobody", at: 1, description: "", provenance: "" }),
    raw("SessionFlagsSet", { session_id: "nobody", flag: "pinned", value: true }),
    raw("GatewayPeerRecorded", { session_id: "nobody", fields: {} }),
    raw("HandoffChanged", { session_id: "nobody", state: "pending", fields: {} }),
    raw("CompressionStateSet", { session_id: "nobody", fields: {} }),
    raw("SessionsDeleted", { session_ids: ["t", "nobody"] }),
    rewrite({ session_id: "nobody" }),
    raw("MessagesRewound", { session_id: "nobody", from_id: 1, through_id: 2 }),
    raw("MessagesRestored", { session_id: "nobody", from_id: 1, through_id: 2 }),
    raw("MessageAnnotated", { session_id: "nobody", message_id: 1, fields: {} }),
    usage({ session_id: "nobody" }),
    raw("SessionCreated", { session_id: "nobody", created: false, fields: { model: "m" } }),
    raw("TelegramTopicBound", {
      chat_id: "c",
      thread_id: "2",
      user_id: "u",
      session_key: "k",
      session_id: "nobody",
      managed_mode: "auto",
      linked_at: 1,
      updated_at: 1,
    }),
  ].map((draft): [string, EventDraft, { kind: string; code: string }] => [
    `${draft.type} of an unknown session`,
    draft,
    { kind: "constraint", code: "SESSION_NOT_FOUND" },
  ]),
  [
    "a second session with the id",
    raw("SessionCreated", { session_id: "s", created: true, fields: { source: "x" } }),
    {
      kind: "constraint",
      code: "SESSION_EXISTS",
    },
  ],
  [
    "an import over a session",
    raw("SessionImported", { session_id: "s", fields: { source: "x", started_at: 1 } }),
    {
      kind: "constraint",
      code: "SESSION_EXISTS",
    },
  ],
  ["a session without a source", create("new", {}), { kind: "state", code: "EVENT_NOT_ALLOWED" }],
  [
    "an import without a start",
    raw("SessionImported", { session_id: "new", fields: { source: "x" } }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  [
    "an unknown parent",
    create("new", { source: "x", parent_session_id: "nobody" }),
    {
      kind: "constraint",
      code: "PARENT_NOT_FOUND",
    },
  ],
  [
    "an unknown new parent",
    raw("SessionUpdated", { session_id: "s", fields: { parent_session_id: "nobody" }, cause: "x" }),
    { kind: "constraint", code: "PARENT_NOT_FOUND" },
  ],
  ["a taken title", raw("TitleSet", { session_id: "t", title: "taken" }), { kind: "validation", code: "TITLE_IN_USE" }],
  [
    "a new session with a taken title",
    create("new", { source: "x", title: "taken" }),
    {
      kind: "validation",
      code: "TITLE_IN_USE",
    },
  ],
  [
    "an import with a taken title",
    raw("SessionImported", { session_id: "new", fields: { source: "x", started_at: 1, title: "taken" } }),
    { kind: "constraint", code: "IMPORTED_TITLE_TAKEN" },
  ],
  [
    "a title that was not cleaned",
    raw("TitleSet", { session_id: "t", title: " two  words " }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  ["an empty title", raw("TitleSet", { session_id: "t", title: "" }), { kind: "state", code: "EVENT_NOT_ALLOWED" }],
  [
    "a title that is too long",
    raw("TitleSet", { session_id: "t", title: "x".repeat(101) }),
    {
      kind: "validation",
      code: "TITLE_TOO_LONG",
    },
  ],
  [
    "a new session with a title that was not cleaned",
    create("new", { source: "x", title: "a\tb" }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  [
    "a second end",
    raw("SessionEnded", { session_id: "ended", end_reason: "again" }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  [
    "reopening a live session",
    raw("SessionReopened", { session_id: "s" }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  ["a message to a session that compression closed", message("compressed"), { kind: "closed", code: "SESSION_CLOSED" }],
  ["a message to a session that another compresses", message("locked"), { kind: "busy", code: "SESSION_BUSY" }],
  ["a message id that was given out", message("s", { id: 2 }), { kind: "constraint", code: "MESSAGE_ID_TAKEN" }],
  ["the message id 0", message("s", { id: 0 }), { kind: "constraint", code: "MESSAGE_ID_TAKEN" }],
  ["a negative message id", message("s", { id: -1 }), { kind: "validation", code: "INVALID_EVENT" }],
  ["half a message id", message("s", { id: 3.5 }), { kind: "validation", code: "INVALID_EVENT" }],
  [
    "a message id after which no other comes",
    message("s", { id: Number.MAX_SAFE_INTEGER }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  ["a message without a role", message("s", { role: null }), { kind: "constraint", code: "MESSAGE_COLUMN_MISSING" }],
  ["a message at no time", message("s", { timestamp: NaN }), { kind: "constraint", code: "MESSAGE_COLUMN_MISSING" }],
  [
    "half a character in a plain column",
    message("s", { finish_reason: "\udc00" }),
    {
      kind: "encoding",
      code: "LONE_SURROGATE",
    },
  ],
  ["half a character in a session", create("new", { source: "\ud83d" }), { kind: "encoding", code: "LONE_SURROGATE" }],
  ["half a character in an id", create("\ud83d", { source: "x" }), { kind: "encoding", code: "LONE_SURROGATE" }],
  [
    "half a character in a setting",
    raw("MetaSet", { key: "k", value: "\ud83d" }),
    {
      kind: "encoding",
      code: "LONE_SURROGATE",
    },
  ],
  [
    "a token count beyond 64 bits",
    message("s", { token_count: 2n ** 63n }),
    {
      kind: "range",
      code: "INTEGER_OUT_OF_RANGE",
    },
  ],
  ["a date in a plain column", message("s", { tool_call_id: new Date(0) }), { kind: "type", code: "UNBINDABLE_VALUE" }],
  [
    "a negative number of calls",
    raw("MessageAppended", { session_id: "s", message: { role: "user" }, calls: -1 }),
    {
      kind: "validation",
      code: "INVALID_EVENT",
    },
  ],
  [
    "ids of messages in the wrong order",
    rewrite({
      messages: [
        { id: 4, role: "user", timestamp: 1 },
        { id: 3, role: "user", timestamp: 1 },
      ],
      message_count: 2,
    }),
    { kind: "constraint", code: "MESSAGE_ID_TAKEN" },
  ],
  [
    "ids of messages that were given out",
    rewrite({ messages: [{ id: 2, role: "user", timestamp: 1 }] }),
    {
      kind: "constraint",
      code: "MESSAGE_ID_TAKEN",
    },
  ],
  [
    "a rewrite through another id than the highest",
    rewrite({ through_id: 1 }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  ["a rewrite that counts wrong", rewrite({ message_count: 5 }), { kind: "state", code: "EVENT_NOT_ALLOWED" }],
  [
    "a rewind from another session's message",
    raw("MessagesRewound", { session_id: "s", from_id: 2, through_id: 2 }),
    {
      kind: "validation",
      code: "MESSAGE_NOT_FOUND",
    },
  ],
  [
    "a note to another session's message",
    raw("MessageAnnotated", { session_id: "s", message_id: 2, fields: {} }),
    {
      kind: "validation",
      code: "MESSAGE_NOT_FOUND",
    },
  ],
  [
    "a deletion through another id than the highest",
    raw("SessionsDeleted", { session_ids: ["t"], through_id: 1 }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  [
    "a deletion that forgets a child",
    raw("SessionsDeleted", { session_ids: ["s"], detached_ids: [] }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  [
    "a deletion that detaches somebody else",
    raw("SessionsDeleted", { session_ids: ["t"], detached_ids: ["child"] }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  ["a deletion of nothing", raw("SessionsDeleted", { session_ids: [] }), { kind: "validation", code: "INVALID_EVENT" }],
  [
    "usage that is not a number",
    usage({ counters: { input_tokens: NaN } }),
    {
      kind: "validation",
      code: "INVALID_EVENT",
    },
  ],
  ["usage in text", usage({ counters: { input_tokens: "5" } }), { kind: "validation", code: "INVALID_EVENT" }],
  ["a cost that is not a number", usage({ estimated_cost_usd: NaN }), { kind: "validation", code: "INVALID_EVENT" }],
  ["usage in an unknown mode", usage({ mode: "twice" }), { kind: "validation", code: "INVALID_EVENT" }],
  [
    "an event on an unknown delegation",
    raw("DelegationDeliveryChanged", {
      delegation_id: "none",
      fields: { updated_at: 1 },
    }),
    { kind: "state", code: "EVENT_NOT_ALLOWED" },
  ],
  [
    "a session in a second topic",
    raw("TelegramTopicBound", {
      chat_id: "c",
      thread_id: "2",
      user_id: "u",
      session_key: "k",
      session_id: "s",
      managed_mode: "auto",
      linked_at: 1,
      updated_at: 1,
    }),
    { kind: "validation", code: "TOPIC_TAKEN" },
  ],
  [
    "a captured row",
    raw("RowCaptured", { table: "sessions", operation: "delete", key: { id: "s" }, values: null }),
    {
      kind: "state",
      code: "EVENT_NOT_ALLOWED",
    },
  ],
  ...[
    raw("MessageAppended", { session_id: "s", message: { role: "user", text: "misspelt" } }),
    raw("MessageAppended", { session_id: "s", message: { role: "user" }, call: 1 }),
    raw("SessionCreated", { session_id: "new", fields: { source: "x", sauce: "y" } }),
    raw("SessionCreated", { session_id: "new", fields: { source: "x" }, reason: "y" }),
    raw("SessionEnded", { session_id: "s", reason: "misspelt" }),
    raw("TitleSet", { session_id: "s", title: null, released: null }),
    raw("SessionsDeleted", { session_ids: ["t"], why: "x" }),
    raw("UsageRecorded", { session_id: "s", counters: { tokens: 5 } }),
    raw("UsageRecorded", { session_id: "s", input_tokens: 5 }),
    raw("MetaSet", { key: "k", value: "v", extra: 1 }),
    rewrite({ extra: 1 }),
  ].map((draft): [string, EventDraft, { kind: string; code: string }] => [
    `a key that ${draft.type} does not have: ${JSON.stringify(draft.payload)}`,
    draft,
    { kind: "validation", code: "INVALID_EVENT" },
  ]),
  ...[
    "SessionCreated",
    "SessionEnded",
    "TitleSet",
    "SessionsDeleted",
    "MessageAppended",
    "UsageRecorded",
    "MetaSet",
  ].flatMap((type) =>
    [undefined, null, 5, "text", [], {}, { session_id: 5 }].map(
      (payload): [string, EventDraft, { kind: string; code: string }] => [
        `${type} with the payload ${JSON.stringify(payload)}`,
        raw(type, payload),
        { kind: "validation", code: "INVALID_EVENT" },
      ],
    ),
  ),
];

describe("an event that could not have come from an operation is refused, and nothing is appended", () => {
  test.each(refused)("%s", (_, draft, error) => {
    const { db, path } = file;
    const before = { tables: tableContents(path), head: db.log.head() };
    expect(() => db.log.append(draft)).toThrow(expect.objectContaining(error));
    // As the second of a batch it takes the first with it.
    const first: EventDraft = { type: "MetaSet", payload: { key: "in", value: "vain" } };
    expect(() => db.log.append([first, draft])).toThrow(expect.objectContaining({ kind: error.kind }));
    expect({ tables: tableContents(path), head: db.log.head() }).toEqual(before);
    expect(file.say("t", "the next")).toBe(3);
    expect(db.verify().ok).toBe(true);
  });

  test("the errors are those of the documented operations", () => {
    const { db } = file;
    const messageOf = (run: () => unknown): string => {
      try {
        run();
      } catch (error) {
        return String(error);
      }
      return "nothing was refused";
    };
    const emitted = [message("nobody"), message("compressed"), message("locked")];
    const called = ["nobody", "compressed", "locked"];
    expect(emitted.map((draft) => messageOf(() => db.log.append(draft)))).toEqual(
      called.map((session_id) => messageOf(() => db.appendMessage({ session_id, role: "user" }))),
    );
    expect(messageOf(() => db.log.append(raw("TitleSet", { session_id: "t", title: "taken" })))).toBe(
      messageOf(() => db.setSessionTitle("t", "taken")),
    );
  });
});

describe("what the store decides may be left out", () => {
  test("ids and times of messages, and the number of calls", () => {
    const { db } = file;
    const append = (fields: Record<string, unknown>): unknown => db.log.append(message("s", fields)).payload;
    expect(append({})).toEqual({ session_id: "s", message: { id: 3, role: "user", timestamp: 1000 }, calls: 0 });
    expect(append({ id: 10, timestamp: 5.5 })).toMatchObject({ message: { id: 10, timestamp: 5.5 } });
    expect(append({ timestamp: "17.25" })).toMatchObject({ message: { id: 11, timestamp: 17.25 } });
    expect(append({ timestamp: new Date(2500) })).toMatchObject({ message: { id: 12, timestamp: 2.5 } });
    expect(append({ tool_calls: [{ id: "a" }, { id: "b" }] })).toMatchObject({ calls: 2 });
    expect(
      db.log.append({ type: "MessageAppended", payload: { session_id: "s", message: { role: "tool" }, calls: 7 } }),
    ).toMatchObject({ payload: { calls: 7 } });
    expect(db.getSession("s")).toMatchObject({ message_count: 7, tool_call_count: 9 });
  });

  test("structured parts are encoded as the operation encodes them, and text is what is stored", () => {
    const { db } = file;
    const fields = {
      role: "assistant",
      content: [{ type: "text", text: "ünï" }],
      tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }],
      display_metadata: { shown: true },
    };
    const emitted = db.log.append(message("s", fields)).payload;
    const id = db.appendMessage({ session_id: "s", ...fields });
    const [first, second] = db.getMessages("s").slice(1);
    expect(second).toEqual({ ...first, id });
    expect(first).toMatchObject({ content: fields.content, tool_calls: fields.tool_calls });
    expect(emitted).toMatchObject({
      message: { content: '\u0000json:[{"type": "text", "text": "\\u00fcn\\u00ef"}]' },
      calls: 1,
    });
    const stored = db.log.append(
      message("s", { reasoning_details: '[{"type": "x"}]', codex_message_items: [{ id: "m" }] }),
    );
    expect(stored.payload).toMatchObject({
      message: { reasoning_details: '[{"type": "x"}]', codex_message_items: '[{"id": "m"}]' },
    });
  });

  test("half a character in running text is replaced, as the operation does", () => {
    const { db } = file;
    expect(db.log.append(message("s", { content: "half \ud83d" })).payload).toMatchObject({
      message: { content: "half \ufffd" },
    });
  });

  test("a lock's holder may write to its session with the operation", () => {
    expect(file.db.appendMessage({ session_id: "locked", role: "user", compression_lock_holder: "someone" })).toBe(3);
  });

  test("an accidental end may be replaced, and a session may be its own parent", () => {
    const { db } = file;
    db.log.append(raw("SessionEnded", { session_id: "t", end_reason: "agent_close" }));
    db.log.append(raw("SessionEnded", { session_id: "t", end_reason: "session_reset", ended_at: 7 }));
    expect(db.getSession("t")).toMatchObject({ end_reason: "session_reset", ended_at: 7 });
    db.log.append(create("own", { source: "x", parent_session_id: "own" }));
    expect(db.getSession("own")).toMatchObject({ parent_session_id: "own" });
  });

  test("whether a session is new, when it started, and who lost a parent", () => {
    const { db } = file;
    expect(db.log.append(create("new", { source: "x" })).payload).toMatchObject({
      created: true,
      cause: "create",
      fields: { source: "x", started_at: 1000 },
    });
    expect(db.log.append(create("new", { model: "m" })).payload).toEqual({
      session_id: "new",
      created: false,
      cause: "create",
      fields: { model: "m", started_at: undefined },
    });
    expect(db.log.append(raw("SessionsDeleted", { session_ids: ["s"] })).payload).toEqual({
      session_ids: ["s"],
      detached_ids: ["child"],
      cause: "delete",
      through_id: 2,
    });
    expect(db.getSession("child")).toMatchObject({ parent_session_id: null });
  });

  test("the route and the row of usage", () => {
    const { db } = file;
    const first = db.log.append(
      usage({ counters: { input_tokens: 5, api_call_count: 1 }, model: "m", billing_provider: "p" }),
    );
    expect(first.payload).toMatchObject({
      mode: "delta",
      counters: { input_tokens: 5, output_tokens: 0, api_call_count: 1 },
      route: { model: "m", billing_provider: "p" },
      model_row: { model: "m", billing_provider: "p", billing_base_url: "", billing_mode: "", task: "" },
      recorded_at: 1000,
    });
    expect(db.log.append(usage({ counters: { input_tokens: 1 } })).payload).toMatchObject({
      route: {},
      model_row: { model: "m", billing_provider: "p" },
    });
    expect(db.log.append(usage({ mode: "absolute", counters: { input_tokens: 1 } })).payload).toMatchObject({
      model_row: null,
      recorded_at: null,
    });
    expect(db.getSession("s")).toMatchObject({ input_tokens: 1, model: "m" });
    expect(db.verify().ok).toBe(true);
  });
});
