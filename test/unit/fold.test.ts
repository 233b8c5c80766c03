import { describe, expect, it } from "vitest";
import { GENESIS_HASH, type EventPayloads, type LogEvent } from "../../src/events/index.js";
import {
  emptyState,
  fold,
  foldEvent,
  foldSession,
  foldTableNames,
  foldWithPatches,
  tableRows,
  type FoldTableName,
  type LedgerState,
} from "../../src/projections/fold/index.js";
import { messageAppended, sessionCreated, storedEvent } from "../support/events.js";

/** Folds events that get the positions 1, 2, 3 … */
function folded(...events: LogEvent[]): LedgerState {
  return fold(events.map((event, index) => ({ ...event, position: index + 1 })));
}

function row(state: LedgerState, table: FoldTableName, index = 0): Readonly<Record<string, unknown>> {
  const found = tableRows(state, table)[index];
  if (found === undefined) throw new Error(`${table} has no row ${index}`);
  return found;
}

const ids = (state: LedgerState, table: FoldTableName, column: string): unknown[] =>
  tableRows(state, table).map((found) => found[column]);

function captured(
  table: string,
  operation: "insert" | "update" | "delete",
  key: EventPayloads["RowCaptured"]["key"],
  values: EventPayloads["RowCaptured"]["values"] = null,
): LogEvent {
  return storedEvent("RowCaptured", { table, operation, key, values });
}

function usage(payload: Partial<EventPayloads["UsageRecorded"]>): LogEvent {
  const counters = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    api_call_count: 0,
  };
  return storedEvent("UsageRecorded", {
    session_id: "s1",
    mode: "delta",
    estimated_cost_usd: null,
    actual_cost_usd: null,
    cost_status: null,
    cost_source: null,
    pricing_version: null,
    route: {},
    model_row: null,
    recorded_at: null,
    ...payload,
    counters: { ...counters, ...payload.counters },
  });
}

const MODEL_ROW = { model: "m1", billing_provider: "p1", billing_base_url: "", billing_mode: "", task: "" };

function rewritten(
  mode: EventPayloads["TranscriptRewritten"]["mode"],
  through_id: number,
  newIds: readonly number[],
): LogEvent {
  const messages = newIds.map((id) => ({ id, role: "user", timestamp: id }));
  const counts = { message_count: messages.length, tool_call_count: 0 };
  return storedEvent("TranscriptRewritten", { session_id: "s1", mode, through_id, messages, ...counts });
}

describe("the empty state", () => {
  it("has no rows in any table and no position", () => {
    const state = emptyState();
    expect(state.position).toBe(0);
    expect(state.message_sequence).toBe(0);
    for (const name of foldTableNames) expect(tableRows(state, name)).toEqual([]);
    expect(state.telegram_dm_topic_mode).toBeNull();
    expect(state.telegram_dm_topic_bindings).toBeNull();
  });

  it("cannot be changed", () => {
    expect(() => (emptyState().sessions as Map<string, unknown>).set("x", {})).toThrow(/frozen/);
    expect(fold([])).toEqual(emptyState());
  });
});

describe("sessions", () => {
  it("begin with the defaults of all 51 columns", () => {
    const state = folded(sessionCreated("s1", { model: "m" }));
    expect(Object.keys(row(state, "sessions"))).toHaveLength(51);
    expect(row(state, "sessions")).toMatchObject({
      id: "s1",
      source: "cli",
      started_at: 1000.5,
      model: "m",
      title: null,
      message_count: 0,
      archived: 0,
      estimated_cost_usd: null,
    });
  });

  it("have any text as id", () => {
    const names = ["__proto__", "constructor", "", "a\u0000b"];
    const state = folded(...names.map((id) => sessionCreated(id)), messageAppended("__proto__", 1));
    expect(ids(state, "sessions", "id")).toEqual(["", "__proto__", "a\u0000b", "constructor"]);
    expect([...state.sessions.keys()]).toEqual(names);
    expect(state.sessions.get("__proto__")?.message_count).toBe(1);
  });

  it("sort by their bytes, code points above U+FFFF last", () => {
    const state = folded(sessionCreated("\u{1f600}"), sessionCreated("\uffee"), sessionCreated("z"));
    expect(ids(state, "sessions", "id")).toEqual(["z", "\uffee", "\u{1f600}"]);
  });

  it("take later columns only where they exist", () => {
    const fill = (session_id: string): LogEvent =>
      storedEvent("SessionCreated", { session_id, created: false, fields: { cwd: "/x" }, cause: "create" });
    const state = folded(sessionCreated("s1"), fill("s1"), fill("nobody"));
    expect(ids(state, "sessions", "id")).toEqual(["s1"]);
    expect(row(state, "sessions")["cwd"]).toBe("/x");
  });

  it("end, reopen, and end again with other words", () => {
    const ended = storedEvent("SessionEnded", { session_id: "s1", ended_at: 5, end_reason: "agent_close" });
    const reset = storedEvent("SessionEnded", { session_id: "s1", ended_at: 6, end_reason: "session_reset" });
    const reopened = storedEvent("SessionReopened", { session_id: "s1" });
    expect(row(folded(sessionCreated("s1"), ended, reset), "sessions")).toMatchObject({
      ended_at: 6,
      end_reason: "session_reset",
    });
    expect(row(folded(sessionCreated("s1"), ended, reopened), "sessions")).toMatchObject({
      ended_at: null,
      end_reason: null,
    });
  });

  it("hand their title on", () => {
    const title = (session_id: string, released_from: string | null): LogEvent =>
      storedEvent("TitleSet", { session_id, title: "T", released_from });
    const state = folded(sessionCreated("s1"), sessionCreated("s2"), title("s1", null), title("s2", "s1"));
    expect(ids(state, "sessions", "title")).toEqual([null, "T"]);
  });

  it("keep the time of their activity when only its labels change", () => {
    const activity = (at: number | null, description: string): LogEvent =>
      storedEvent("ActivityRecorded", { session_id: "s1", at, description, provenance: "unknown" });
    const state = folded(sessionCreated("s1"), activity(7.5, "working"), activity(null, ""));
    expect(row(state, "sessions")).toMatchObject({ last_activity_at: 7.5, last_activity_description: "" });
  });

  it("take flags, peers, hand-offs and the compressor's state", () => {
    const session_id = "s1";
    const state = folded(
      sessionCreated("s1"),
      storedEvent("SessionFlagsSet", { session_id, flag: "pinned", value: true }),
      storedEvent("GatewayPeerRecorded", { session_id, fields: { session_key: "k", chat_id: null } }),
      storedEvent("HandoffChanged", { session_id, state: "failed", fields: { handoff_error: "no" } }),
      storedEvent("CompressionStateSet", { session_id, fields: { compression_fallback_streak: "2" } }),
      storedEvent("SessionUpdated", { session_id, fields: { parent_session_id: "p" }, cause: "import" }),
    );
    expect(row(state, "sessions")).toMatchObject({
      pinned: 1,
      session_key: "k",
      handoff_state: "failed",
      handoff_error: "no",
      compression_fallback_streak: 2,
      parent_session_id: "p",
    });
  });

  it("go with their messages, usage and bindings, and leave locks, children and ids given out", () => {
    const bound = { chat_id: "c", thread_id: "t", user_id: "u", session_key: "k", managed_mode: "auto" };
    const state = folded(
      sessionCreated("s1"),
      sessionCreated("s2", { parent_session_id: "s1" }),
      messageAppended("s1", 4),
      messageAppended("s2", 5),
      usage({ model_row: MODEL_ROW, recorded_at: 1 }),
      storedEvent("TelegramTopicBound", { ...bound, session_id: "s1", linked_at: 1, updated_at: 1 }),
      storedEvent("CompressionLockChanged", { session_id: "s1", holder: "h", acquired_at: 1, expires_at: 2 }),
      storedEvent("SessionsDeleted", { session_ids: ["s1"], detached_ids: ["s2"], cause: "delete", through_id: 9 }),
    );
    expect(ids(state, "sessions", "id")).toEqual(["s2"]);
    expect(row(state, "sessions")["parent_session_id"]).toBeNull();
    expect(ids(state, "messages", "id")).toEqual([5]);
    expect(tableRows(state, "session_model_usage")).toEqual([]);
    expect(tableRows(state, "telegram_dm_topic_bindings")).toEqual([]);
    expect(tableRows(state, "compression_locks")).toHaveLength(1);
    expect(state.message_sequence).toBe(9);
    expect(state.message_sessions.get(0)).toEqual(new Map([[5, "s2"]]));
  });
});

describe("messages", () => {
  it("have all 23 columns and move the counters of their session", () => {
    const state = folded(sessionCreated("s1"), messageAppended("s1", 3, { content: "hi", observed: 1 }, 2));
    expect(Object.keys(row(state, "messages"))).toHaveLength(23);
    expect(row(state, "messages")).toMatchObject({ id: 3, active: 1, compacted: 0, observed: 1, content: "hi" });
    expect(row(state, "sessions")).toMatchObject({ message_count: 1, tool_call_count: 2 });
    expect(state.message_sequence).toBe(3);
  });

  it("do not count on a counter that is NULL", () => {
    const imported = storedEvent("SessionImported", {
      session_id: "s1",
      fields: { source: "import", started_at: 1, message_count: null },
    });
    expect(row(folded(imported, messageAppended("s1", 1)), "sessions")["message_count"]).toBeNull();
  });

  const three = [sessionCreated("s1"), messageAppended("s1", 1), messageAppended("s1", 2), messageAppended("s1", 3)];
  const rewound = storedEvent("MessagesRewound", { session_id: "s1", from_id: 2, through_id: 2 });
  const live = (state: LedgerState): unknown[] =>
    tableRows(state, "messages").map((found) => [found["id"], found["active"], found["compacted"]]);

  it("leave the live context and come back", () => {
    const restored = storedEvent("MessagesRestored", { session_id: "s1", from_id: 1, through_id: 3 });
    expect(live(folded(...three, rewound))).toEqual([
      [1, 1, 0],
      [2, 0, 0],
      [3, 1, 0],
    ]);
    const state = folded(...three, rewound, restored);
    expect(live(state)).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [3, 1, 0],
    ]);
    expect(row(state, "sessions")["rewind_count"]).toBe(1);
  });

  it.each([
    ["all", [[4, 1, 0]]],
    [
      "active",
      [
        [2, 0, 0],
        [4, 1, 0],
      ],
    ],
    [
      "compact",
      [
        [1, 0, 1],
        [2, 0, 0],
        [3, 0, 1],
        [4, 1, 0],
      ],
    ],
    [
      "seed",
      [
        [1, 1, 0],
        [2, 0, 0],
        [3, 1, 0],
        [4, 1, 0],
      ],
    ],
  ] as const)("are rewritten in mode %s", (mode, expected) => {
    const state = folded(...three, rewound, rewritten(mode, 3, [4]));
    expect(live(state)).toEqual(expected);
    expect(row(state, "sessions")).toMatchObject({ message_count: 1, tool_call_count: 0 });
    expect(state.message_sequence).toBe(4);
  });

  it("are cleared up to the given id only, of their session only", () => {
    const other = [sessionCreated("s2"), messageAppended("s2", 4)];
    const state = folded(...three, ...other, rewritten("clear", 2, []));
    expect(ids(state, "messages", "id")).toEqual([3, 4]);
    expect(folded(sessionCreated("s1"), rewritten("clear", 7, [])).message_sequence).toBe(7);
  });

  it("are annotated in their own session only", () => {
    const annotate = (session_id: string, message_id: number): LogEvent =>
      storedEvent("MessageAnnotated", { session_id, message_id, fields: { display_kind: "hidden" } });
    const state = folded(...three, annotate("s1", 2), annotate("s2", 3), annotate("s1", 99));
    expect(ids(state, "messages", "display_kind")).toEqual([null, "hidden", null]);
  });
});

describe("usage", () => {
  const call = { ...MODEL_ROW, model: "m2" };

  it("adds up on the session and per model", () => {
    const state = folded(
      sessionCreated("s1", { model: "m1" }),
      usage({
        counters: { ...zero(), input_tokens: 10, api_call_count: 1 },
        estimated_cost_usd: 0.25,
        cost_status: "estimated",
        pricing_version: "v1",
        route: { billing_provider: "p1" },
        model_row: MODEL_ROW,
        recorded_at: 1,
      }),
      usage({ counters: { ...zero(), input_tokens: 1 }, actual_cost_usd: 0.5, model_row: MODEL_ROW, recorded_at: 2 }),
      usage({ counters: { ...zero(), input_tokens: 7 }, model_row: call, recorded_at: 3 }),
    );
    expect(row(state, "sessions")).toMatchObject({
      input_tokens: 18,
      api_call_count: 1,
      estimated_cost_usd: 0.25,
      actual_cost_usd: 0.5,
      cost_status: "estimated",
      pricing_version: "v1",
      billing_provider: "p1",
    });
    expect(tableRows(state, "session_model_usage")).toMatchObject([
      { model: "m1", input_tokens: 11, estimated_cost_usd: 0.25, actual_cost_usd: 0.5, first_seen: 1, last_seen: 2 },
      { model: "m2", input_tokens: 7, estimated_cost_usd: 0, actual_cost_usd: 0, cost_status: null, first_seen: 3 },
    ]);
  });

  it("makes the estimate 0 even without a cost, and leaves the actual cost NULL", () => {
    expect(row(folded(sessionCreated("s1"), usage({})), "sessions")).toMatchObject({
      estimated_cost_usd: 0,
      actual_cost_usd: null,
    });
  });

  it("is set by absolute totals", () => {
    const totals = usage({ mode: "absolute", counters: { ...zero(), input_tokens: 100 } });
    const first = usage({ counters: { ...zero(), input_tokens: 10 }, estimated_cost_usd: 1, actual_cost_usd: 2 });
    expect(row(folded(sessionCreated("s1"), first, totals), "sessions")).toMatchObject({
      input_tokens: 100,
      estimated_cost_usd: 0,
      actual_cost_usd: 2,
    });
  });

  it("of auxiliary calls leaves the session row alone", () => {
    const counters = { ...zero(), input_tokens: 3, api_call_count: 1 };
    const model_row = { ...MODEL_ROW, task: "vision" };
    const state = folded(sessionCreated("s1"), usage({ mode: "auxiliary", counters, model_row, recorded_at: 1 }));
    expect(row(state, "sessions")).toMatchObject({ input_tokens: 0, estimated_cost_usd: null });
    expect(row(state, "session_model_usage")).toMatchObject({ task: "vision", input_tokens: 3, api_call_count: 1 });
  });

  it("counts exactly up to 64 bits and turns real beyond", () => {
    const add = (input_tokens: number | bigint): LogEvent => usage({ counters: { ...zero(), input_tokens } });
    const sum = (...counts: (number | bigint)[]): unknown =>
      row(folded(sessionCreated("s1"), ...counts.map(add)), "sessions")["input_tokens"];
    expect(sum(9007199254740991, 2)).toBe(9007199254740993n);
    expect(sum(9007199254740993n, -2)).toBe(9007199254740991);
    expect(sum(9223372036854775807n, 1)).toBe(9223372036854775808);
    expect(sum(1, 0.5)).toBe(1.5);
    expect(sum(1.5, 0.5)).toBe(2);
    expect(Object.is(sum(-0), 0)).toBe(true);
  });

  it("adds a whole real as an integer per model, where it passed through a column, and as a real on the session", () => {
    const booking = (input_tokens: number | bigint): LogEvent =>
      usage({ counters: { ...zero(), input_tokens }, model_row: MODEL_ROW, recorded_at: 1 });
    const state = folded(sessionCreated("s1"), booking(-37893359294656345n), booking(2 ** 53));
    expect(row(state, "session_model_usage")["input_tokens"]).toBe(-28886160039915353n);
    expect(row(state, "sessions")["input_tokens"]).toBe(-28886160039915352n);
  });

  function zero(): EventPayloads["UsageRecorded"]["counters"] {
    return {
      input_tokens: 0,
      output_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      api_call_count: 0,
    };
  }
});

describe("coordination", () => {
  it("keeps, replaces and removes gateway routes per scope", () => {
    const routes = (change: Partial<EventPayloads["GatewayRoutesChanged"]>): LogEvent =>
      storedEvent("GatewayRoutesChanged", {
        scope: "",
        replace_all: false,
        removed: [],
        entries: [],
        updated_at: 1,
        ...change,
      });
    const saved = [
      routes({
        entries: [
          ["b", "1"],
          ["a", "2"],
        ],
      }),
      routes({ scope: "x", entries: [["a", "3"]] }),
    ];
    const state = folded(...saved);
    expect(tableRows(state, "gateway_routing").map((found) => [found["scope"], found["session_key"]])).toEqual([
      ["", "a"],
      ["", "b"],
      ["x", "a"],
    ]);
    expect(ids(folded(...saved, routes({ removed: ["a", "none"] })), "gateway_routing", "entry_json")).toEqual([
      "1",
      "3",
    ]);
    const replaced = folded(...saved, routes({ replace_all: true, entries: [["c", "4"]] }));
    expect(ids(replaced, "gateway_routing", "entry_json")).toEqual(["4", "3"]);
    const emptied = folded(...saved, routes({ replace_all: true, updated_at: null }));
    expect(ids(emptied, "gateway_routing", "entry_json")).toEqual(["3"]);
  });

  it("takes and releases locks", () => {
    const lock = (holder: string | null): LogEvent =>
      storedEvent("CompressionLockChanged", { session_id: "any", holder, acquired_at: 1, expires_at: 2 });
    expect(row(folded(lock("a"), lock("b")), "compression_locks")["holder"]).toBe("b");
    expect(tableRows(folded(lock("a"), lock(null)), "compression_locks")).toEqual([]);
  });

  it("keeps the last value of a metadata key", () => {
    const set = (value: string | null): LogEvent => storedEvent("MetaSet", { key: "k", value });
    expect(tableRows(folded(set("1"), set(null)), "state_meta")).toEqual([{ key: "k", value: null }]);
  });
});

describe("delegations", () => {
  const dispatched = storedEvent("DelegationDispatched", {
    fields: {
      delegation_id: "d1",
      origin_session: "key",
      origin_ui_session_id: "",
      origin_session_id: "s1",
      parent_session_id: null,
      dispatched_at: 1,
      updated_at: 1,
      owner_pid: 12,
      owner_started_at: null,
      task_json: "{}",
    },
  });
  const completed = storedEvent("DelegationCompleted", {
    delegation_id: "d1",
    state: "completed",
    completed_at: 2,
    updated_at: 2,
    event_json: "{}",
    result_json: null,
  });
  const delivered = storedEvent("DelegationDeliveryChanged", {
    delegation_id: "d1",
    fields: { delivery_state: "delivered", delivery_attempts: 3, updated_at: 3 },
  });

  it("are dispatched, completed and delivered; a new dispatch starts over", () => {
    expect(row(folded(dispatched, delivered, completed), "async_delegations")).toMatchObject({
      state: "completed",
      delivery_state: "pending",
      delivery_attempts: 3,
      origin_session_id: "s1",
    });
    expect(row(folded(dispatched, completed, delivered, dispatched), "async_delegations")).toMatchObject({
      state: "running",
      delivery_state: "pending",
      delivery_attempts: 0,
      completed_at: null,
    });
    const removed = storedEvent("DelegationsRemoved", { delegation_ids: ["d1", "d2"] });
    expect(tableRows(folded(dispatched, removed), "async_delegations")).toEqual([]);
    expect(tableRows(folded(completed, delivered), "async_delegations")).toEqual([]);
  });

  it("have origin_session_id only once something was dispatched", () => {
    const key = { delegation_id: "d0" };
    const old = captured("async_delegations", "insert", key, { ...key, origin_session: "", state: "running" });
    expect(Object.keys(row(folded(old), "async_delegations"))).toHaveLength(18);
    expect(row(folded(old, dispatched), "async_delegations")["origin_session_id"]).toBeNull();
    const newer = captured("async_delegations", "insert", key, { ...key, origin_session_id: "s9" });
    expect(row(folded(newer), "async_delegations")["origin_session_id"]).toBe("s9");
  });
});

describe("Telegram topics", () => {
  const mode = (fields: EventPayloads["TelegramTopicModeSet"]["fields"]): LogEvent =>
    storedEvent("TelegramTopicModeSet", { chat_id: "c", fields });

  it("are switched on and off", () => {
    const on = mode({ user_id: "u", enabled: 1, activated_at: 1, updated_at: 1, has_topics_enabled: 1 });
    const state = folded(on, mode({ enabled: 0, updated_at: 2 }));
    expect(tableRows(state, "telegram_dm_topic_mode")).toEqual([
      {
        chat_id: "c",
        user_id: "u",
        enabled: 0,
        activated_at: 1,
        updated_at: 2,
        has_topics_enabled: 1,
        allows_users_to_create_topics: null,
        capability_checked_at: null,
        intro_message_id: null,
        pinned_message_id: null,
      },
    ]);
    const unknown = folded(mode({ enabled: 0, updated_at: 2 }));
    expect(tableRows(unknown, "telegram_dm_topic_mode")).toEqual([]);
    expect(unknown.telegram_dm_topic_bindings).toEqual(new Map());
  });

  it("are bound to sessions and unbound", () => {
    const bind = (thread_id: string, session_id: string, updated_at: number): LogEvent =>
      storedEvent("TelegramTopicBound", {
        chat_id: "c",
        thread_id,
        user_id: "u",
        session_key: "k",
        session_id,
        managed_mode: "auto",
        linked_at: 1,
        updated_at,
      });
    const bindings = [bind("2", "s2", 1), bind("1", "s1", 1), bind("1", "s3", 2)];
    expect(ids(folded(...bindings), "telegram_dm_topic_bindings", "session_id")).toEqual(["s3", "s2"]);
    const unbound = storedEvent("TelegramTopicUnbound", { chat_id: "c", thread_ids: ["1", "9"] });
    expect(ids(folded(...bindings, unbound), "telegram_dm_topic_bindings", "session_id")).toEqual(["s2"]);
  });
});

describe("captured rows", () => {
  it("are set with their defaults, changed and deleted", () => {
    const key = { id: "s1" };
    const inserted = captured("sessions", "insert", key, { ...key, source: "tui", started_at: 1, leftover: "x" });
    const updated = captured("sessions", "update", key, { ...key, source: "tui", started_at: 1, title: "T" });
    expect(row(folded(inserted), "sessions")).toMatchObject({ source: "tui", message_count: 0 });
    expect(row(folded(inserted), "sessions")).not.toHaveProperty("leftover");
    expect(row(folded(inserted, updated), "sessions")["title"]).toBe("T");
    expect(tableRows(folded(inserted, captured("sessions", "delete", key)), "sessions")).toEqual([]);
  });

  it("move to another key or session", () => {
    const move = captured("messages", "update", { id: 1 }, { id: 1, session_id: "s2", role: "user", timestamp: 1 });
    const state = folded(sessionCreated("s1"), messageAppended("s1", 1), move);
    expect(state.messages.get("s1")).toBeUndefined();
    expect(ids(state, "messages", "session_id")).toEqual(["s2"]);
    const renamed = captured("state_meta", "update", { key: "a" }, { key: "b", value: "1" });
    const set = storedEvent("MetaSet", { key: "a", value: "1" });
    expect(ids(folded(set, renamed), "state_meta", "key")).toEqual(["b"]);
  });

  it("of messages are found by id alone, raise the sequence, and may lie beyond 2^53", () => {
    const big = 9007199254740993n;
    const insert = captured(
      "messages",
      "insert",
      { id: big },
      { id: big, session_id: "s1", role: "user", timestamp: 1 },
    );
    const state = folded(sessionCreated("s1"), messageAppended("s1", 1), insert);
    expect(ids(state, "messages", "id")).toEqual([1, big]);
    expect(state.message_sequence).toBe(big);
    const gone = folded(
      sessionCreated("s1"),
      messageAppended("s1", 1),
      insert,
      captured("messages", "delete", { id: big }),
    );
    expect(ids(gone, "messages", "id")).toEqual([1]);
    expect(gone.message_sequence).toBe(big);
    expect(gone.message_sessions.size).toBe(1);
  });

  it("with bytes as key are kept apart from text", () => {
    const bytes = new Uint8Array([97]);
    const insert = captured("state_meta", "insert", { key: bytes }, { key: bytes, value: "1" });
    const set = storedEvent("MetaSet", { key: "a", value: "2" });
    const state = folded(insert, set);
    expect(tableRows(state, "state_meta")).toEqual([
      { key: "a", value: "2" },
      { key: bytes, value: "1" },
    ]);
    const gone = folded(insert, set, captured("state_meta", "delete", { key: bytes }));
    expect(tableRows(gone, "state_meta")).toEqual([{ key: "a", value: "2" }]);
  });

  it("of tables that the fold does not keep change nothing", () => {
    for (const table of ["delivery_obligations", "__proto__", "toString"]) {
      expect(folded(captured(table, "insert", { id: 1 }, { id: 1 }))).toEqual({ ...emptyState(), position: 1 });
    }
  });
});

describe("folding", () => {
  it("skips erased events but counts their position", () => {
    const erased: LogEvent = {
      ...sessionCreated("s1"),
      position: 7,
      hash: GENESIS_HASH,
      payload: null,
      erased: true,
    };
    expect(fold([erased])).toEqual({ ...emptyState(), position: 7 });
    expect(foldEvent(emptyState(), erased)).toEqual({ ...emptyState(), position: 7 });
    expect(foldWithPatches(emptyState(), erased).patches).toEqual([{ op: "replace", path: ["position"], value: 7 }]);
  });

  it("says in patches which columns an event changed", () => {
    const before = folded(sessionCreated("__proto__"));
    const titled = storedEvent(
      "TitleSet",
      { session_id: "__proto__", title: "T", released_from: null },
      { position: 2 },
    );
    const { patches, inversePatches } = foldWithPatches(before, titled);
    expect(patches).toContainEqual({ op: "replace", path: ["sessions", "__proto__", "title"], value: "T" });
    expect(patches).toHaveLength(2);
    expect(inversePatches).toContainEqual({ op: "replace", path: ["sessions", "__proto__", "title"], value: null });
  });

  it("does not freeze or keep hold of the events' own objects", () => {
    const event = sessionCreated("s1");
    const state = fold([event]);
    expect(Object.isFrozen(event.payload.fields)).toBe(false);
    event.payload.fields.source = "changed";
    expect(row(state, "sessions")["source"]).toBe("cli");
  });

  it("leaves the given state as it was when the events break off", () => {
    const before = folded(sessionCreated("s1"));
    function* broken(): Iterable<LogEvent> {
      yield messageAppended("s1", 1);
      throw new Error("the log broke off");
    }
    expect(() => fold(broken(), before)).toThrow("the log broke off");
    expect(before).toEqual(folded(sessionCreated("s1")));
  });
});

describe("foldSession", () => {
  it("gives one session with its messages in order and its usage", () => {
    const events = [
      sessionCreated("s1"),
      sessionCreated("s2"),
      messageAppended("s1", 1),
      messageAppended("s2", 2),
      usage({ model_row: MODEL_ROW, recorded_at: 1 }),
    ];
    const alone = foldSession(
      events.filter((event) => event.stream_id === "s1"),
      "s1",
    );
    expect(alone.session?.message_count).toBe(1);
    expect(alone.messages.map((message) => message.id)).toEqual([1]);
    expect(alone.usage.map((found) => found.model)).toEqual(["m1"]);
    expect(foldSession(events, "s1")).toEqual(alone);
    expect(foldSession(events, "nobody")).toEqual({ session: null, messages: [], usage: [] });
  });
});
