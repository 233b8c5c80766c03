import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventPayloads, StoredEvent } from "../../src/events/index.js";
import { UnknownColumnError, updateRow } from "../../src/projections/row-changes.js";
import { projectionSql, type SqlRow } from "../../src/projections/projection-sql.js";
import { sessions } from "../../src/projections/sessions.js";
import { freshTables, messageAppended, project, sessionCreated, storedEvent } from "../support/events.js";

let db: Database;
beforeEach(() => {
  db = freshTables();
});
afterEach(() => {
  db.close();
});

function session(id: string): SqlRow | undefined {
  return projectionSql(db).get("SELECT * FROM {sessions} WHERE id = @id", { id });
}

function usage(payload: Partial<EventPayloads["UsageRecorded"]>): StoredEvent<"UsageRecorded"> {
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
    counters: { ...NO_TOKENS, ...payload.counters },
  });
}

const NO_TOKENS = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_call_count: 0,
};

const MODEL_ROW = { model: "m1", billing_provider: "p1", billing_base_url: "https://a", billing_mode: "api", task: "" };

describe("SessionCreated", () => {
  it("inserts the listed columns; the others get their defaults", () => {
    project(db, [sessionCreated("s1", { model: "m", title: null })]);
    const row = session("s1")!;
    expect(Object.keys(row)).toEqual(Object.keys(sessions.columns));
    expect(row).toMatchObject({ id: "s1", source: "cli", started_at: 1000.5, model: "m", title: null });
    expect(row).toMatchObject({ message_count: 0, expiry_finalized: 0, archived: 0, estimated_cost_usd: null });
  });

  it("sets only the listed columns of a row that exists, null meaning NULL and undefined nothing", () => {
    project(db, [
      sessionCreated("s1", { model: "m", cwd: "/a", chat_id: "c" }),
      storedEvent("SessionCreated", {
        session_id: "s1",
        created: false,
        fields: { cwd: "/b", chat_id: null, model: undefined },
        cause: "create",
      }),
    ]);
    expect(session("s1")).toMatchObject({ model: "m", cwd: "/b", chat_id: null, started_at: 1000.5 });
  });

  it("accepts an empty id, odd text and a session that is its own parent", () => {
    project(db, [
      sessionCreated(""),
      sessionCreated("x'); DROP TABLE sessions; --", { title: "a\0b {sessions} @id" }),
      sessionCreated("self", { parent_session_id: "self" }),
    ]);
    expect(session("")).toBeDefined();
    expect(session("x'); DROP TABLE sessions; --")).toMatchObject({ title: "a\0b {sessions} @id" });
    expect(session("self")).toMatchObject({ parent_session_id: "self" });
  });

  it("refuses a second row with the same id, and a parent that is not there", () => {
    project(db, [sessionCreated("s1")]);
    expect(() => project(db, [sessionCreated("s1")])).toThrow(/UNIQUE/);
    expect(() => project(db, [sessionCreated("s2", { parent_session_id: "none" })])).toThrow(/FOREIGN KEY/);
    expect(session("s2")).toBeUndefined();
  });
});

describe("SessionImported", () => {
  it("inserts counters and times as given; large integers stay exact", () => {
    const fields = { source: "import", started_at: 5, ended_at: 6.25, input_tokens: 9007199254740993n, archived: 1 };
    project(db, [storedEvent("SessionImported", { session_id: "s1", fields: { ...fields, archived: 1 } })]);
    expect(session("s1")).toMatchObject({ ...fields, started_at: 5, title: null });
  });
});

describe("the life of a session", () => {
  it("ends and reopens", () => {
    project(db, [
      sessionCreated("s1"),
      storedEvent("SessionEnded", { session_id: "s1", ended_at: 7.5, end_reason: "cli_close" }),
    ]);
    expect(session("s1")).toMatchObject({ ended_at: 7.5, end_reason: "cli_close" });
    project(db, [storedEvent("SessionReopened", { session_id: "s1" })]);
    expect(session("s1")).toMatchObject({ ended_at: null, end_reason: null });
    project(db, [storedEvent("SessionEnded", { session_id: "s1", ended_at: 8, end_reason: null })]);
    expect(session("s1")).toMatchObject({ ended_at: 8, end_reason: null });
  });

  it("passes a title on through two events", () => {
    const titleSet = (session_id: string, title: string | null, released_from: string | null = null) =>
      storedEvent("TitleSet", { session_id, title, released_from });
    project(db, [sessionCreated("s1"), sessionCreated("s2"), titleSet("s1", "T")]);
    expect(() => project(db, [titleSet("s2", "T")])).toThrow(/UNIQUE/);
    project(db, [titleSet("s1", null), titleSet("s2", "T", "s1")]);
    expect([session("s1")!["title"], session("s2")!["title"]]).toEqual([null, "T"]);
  });

  it("updates columns, NULL included, and leaves the others", () => {
    project(db, [
      sessionCreated("s1", { system_prompt: "p", model: "m", cwd: "/a" }),
      storedEvent("SessionUpdated", { session_id: "s1", fields: { system_prompt: null, model: "n" }, cause: "test" }),
      storedEvent("SessionUpdated", { session_id: "s1", fields: {}, cause: "test" }),
      storedEvent("SessionUpdated", { session_id: "unknown", fields: { model: "x" }, cause: "test" }),
    ]);
    expect(session("s1")).toMatchObject({ system_prompt: null, model: "n", cwd: "/a" });
    expect(session("unknown")).toBeUndefined();
  });

  it("keeps the time of the heartbeat when only labels change", () => {
    const activity = (at: number | null, description: string) =>
      storedEvent("ActivityRecorded", { session_id: "s1", at, description, provenance: "unknown" });
    project(db, [sessionCreated("s1"), activity(9.5, "running"), activity(null, "")]);
    expect(session("s1")).toMatchObject({
      last_activity_at: 9.5,
      last_activity_description: "",
      last_activity_provenance: "unknown",
    });
  });

  it.each(["archived", "pinned", "expiry_finalized"] as const)("sets the flag %s on and off", (flag) => {
    const set = (value: boolean) => storedEvent("SessionFlagsSet", { session_id: "s1", flag, value });
    project(db, [sessionCreated("s1"), sessionCreated("s2"), set(true)]);
    expect([session("s1")![flag], session("s2")![flag]]).toEqual([1, 0]);
    project(db, [set(false)]);
    expect(session("s1")![flag]).toBe(0);
  });

  it("records the gateway peer, the hand-off and the compression state", () => {
    const peer = {
      session_key: "k",
      source: "telegram",
      user_id: null,
      chat_id: "c",
      chat_type: "dm",
      thread_id: null,
    };
    project(db, [
      sessionCreated("s1", { user_id: "u", display_name: "D" }),
      storedEvent("GatewayPeerRecorded", { session_id: "s1", fields: peer }),
      storedEvent("HandoffChanged", {
        session_id: "s1",
        state: "pending",
        fields: { handoff_platform: "slack", handoff_error: null },
      }),
      storedEvent("CompressionStateSet", {
        session_id: "s1",
        fields: { compression_failure_cooldown_until: 99.5, compression_fallback_streak: 3 },
      }),
    ]);
    expect(session("s1")).toMatchObject({ ...peer, display_name: "D", handoff_state: "pending" });
    expect(session("s1")).toMatchObject({ handoff_platform: "slack", compression_failure_cooldown_until: 99.5 });
    expect(session("s1")).toMatchObject({ compression_fallback_streak: 3, compression_ineffective_count: 0 });
    project(db, [storedEvent("HandoffChanged", { session_id: "s1", state: "running", fields: {} })]);
    expect(session("s1")).toMatchObject({ handoff_state: "running", handoff_platform: "slack" });
  });
});

describe("the counters of a session", () => {
  it("grow by one message and its calls, and by one for every rewind", () => {
    project(db, [
      sessionCreated("s1"),
      messageAppended("s1", 1),
      messageAppended("s1", 2, {}, 3),
      storedEvent("MessagesRewound", { session_id: "s1", from_id: 9, through_id: 9 }),
    ]);
    expect(session("s1")).toMatchObject({ message_count: 2, tool_call_count: 3, rewind_count: 1 });
  });

  it("are set by a rewrite", () => {
    const rewrite = { session_id: "s1", mode: "all" as const, through_id: 1, messages: [] };
    project(db, [
      sessionCreated("s1"),
      messageAppended("s1", 1, {}, 3),
      storedEvent("TranscriptRewritten", { ...rewrite, message_count: 7, tool_call_count: 5 }),
    ]);
    expect(session("s1")).toMatchObject({ message_count: 7, tool_call_count: 5 });
  });

  it("stay NULL when they are NULL, as SQL adds", () => {
    project(db, [sessionCreated("s1", { message_count: null, tool_call_count: null }), messageAppended("s1", 1)]);
    expect(session("s1")).toMatchObject({ message_count: null, tool_call_count: null });
  });
});

describe("UsageRecorded", () => {
  it("adds a delta; a missing cost makes the estimate 0 and leaves the actual cost NULL", () => {
    const counters = { ...NO_TOKENS, input_tokens: 10, output_tokens: 5, api_call_count: 1 };
    project(db, [sessionCreated("s1"), usage({ counters })]);
    expect(session("s1")).toMatchObject({ input_tokens: 10, api_call_count: 1, estimated_cost_usd: 0 });
    expect(session("s1")).toMatchObject({ actual_cost_usd: null, cost_status: null });
    project(db, [
      usage({ counters, estimated_cost_usd: 0.25, cost_status: "estimated", pricing_version: "v1" }),
      usage({ counters: { ...counters, input_tokens: -3 }, actual_cost_usd: 0.5, cost_source: "table" }),
    ]);
    expect(session("s1")).toMatchObject({ input_tokens: 17, output_tokens: 15, api_call_count: 3 });
    expect(session("s1")).toMatchObject({ estimated_cost_usd: 0.25, actual_cost_usd: 0.5 });
    expect(session("s1")).toMatchObject({ cost_status: "estimated", cost_source: "table", pricing_version: "v1" });
  });

  it("sets absolute totals; a missing estimate is 0, a missing actual cost stays", () => {
    project(db, [
      sessionCreated("s1"),
      usage({ counters: { ...NO_TOKENS, output_tokens: 4 }, estimated_cost_usd: 1, actual_cost_usd: 2 }),
      usage({ mode: "absolute", counters: { ...NO_TOKENS, input_tokens: 100 } }),
    ]);
    expect(session("s1")).toMatchObject({ input_tokens: 100, output_tokens: 0 });
    expect(session("s1")).toMatchObject({ estimated_cost_usd: 0, actual_cost_usd: 2 });
  });

  it("assigns the route as listed, NULL included", () => {
    project(db, [
      sessionCreated("s1", { model: "requested", billing_mode: "sub", billing_base_url: "https://a" }),
      usage({ route: { model: "real", billing_provider: "p", billing_mode: null } }),
    ]);
    expect(session("s1")).toMatchObject({ model: "real", billing_provider: "p", billing_mode: null });
    expect(session("s1")).toMatchObject({ billing_base_url: "https://a" });
  });

  it("adds integers exactly, beyond 2^53 too, and turns REAL only beyond 64 bits", () => {
    const tokens = (input_tokens: number | bigint) => usage({ counters: { ...NO_TOKENS, input_tokens } });
    project(db, [sessionCreated("s1"), tokens(9007199254740992n), tokens(1)]);
    expect(session("s1")!["input_tokens"]).toBe(9007199254740993n);
    project(db, [tokens(9223372036854775807n)]);
    expect(db.prepare("SELECT typeof(input_tokens) FROM sessions").pluck().get()).toBe("real");
    project(db, [sessionCreated("s2"), usage({ session_id: "s2", counters: { ...NO_TOKENS, input_tokens: 1.5 } })]);
    expect(session("s2")!["input_tokens"]).toBe(1.5);
  });

  it("keeps one row per model, route and task, adding up", () => {
    const counters = { ...NO_TOKENS, input_tokens: 10, api_call_count: 1 };
    project(db, [
      sessionCreated("s1"),
      usage({ counters, model_row: MODEL_ROW, recorded_at: 50.5, estimated_cost_usd: 0.25, cost_status: "estimated" }),
      usage({ counters, model_row: MODEL_ROW, recorded_at: 60.5, actual_cost_usd: 0.5, cost_source: "table" }),
      usage({ counters, model_row: { ...MODEL_ROW, model: "m2" }, recorded_at: 70 }),
    ]);
    const rows = projectionSql(db).all("SELECT * FROM {session_model_usage} ORDER BY model");
    expect(rows).toEqual([
      {
        session_id: "s1",
        ...MODEL_ROW,
        ...NO_TOKENS,
        api_call_count: 2,
        input_tokens: 20,
        estimated_cost_usd: 0.25,
        actual_cost_usd: 0.5,
        cost_status: "estimated",
        cost_source: "table",
        first_seen: 50.5,
        last_seen: 60.5,
      },
      expect.objectContaining({
        model: "m2",
        estimated_cost_usd: 0,
        actual_cost_usd: 0,
        first_seen: 70,
        last_seen: 70,
      }),
    ]);
  });

  it("adds integers of the per-model row exactly", () => {
    const tokens = (input_tokens: number | bigint) =>
      usage({ counters: { ...NO_TOKENS, input_tokens }, model_row: MODEL_ROW, recorded_at: 1 });
    project(db, [sessionCreated("s1"), tokens(9007199254740992n), tokens(1)]);
    const [row] = projectionSql(db).all("SELECT input_tokens FROM {session_model_usage}");
    expect(row).toEqual({ input_tokens: 9007199254740993n });
  });

  it("books auxiliary usage on the per-model row alone", () => {
    const counters = { ...NO_TOKENS, input_tokens: 3, api_call_count: 1 };
    const model_row = { ...MODEL_ROW, task: "vision" };
    project(db, [sessionCreated("s1"), usage({ mode: "auxiliary", counters, model_row, recorded_at: 9 })]);
    expect(session("s1")).toMatchObject({ input_tokens: 0, api_call_count: 0, estimated_cost_usd: null });
    const rows = projectionSql(db).all("SELECT task, input_tokens FROM {session_model_usage}");
    expect(rows).toEqual([{ task: "vision", input_tokens: 3 }]);
  });
});

describe("column names", () => {
  it("come from the table definition only", () => {
    const fields = { "model = 'x' --": "y" };
    expect(() => updateRow(projectionSql(db), sessions, { id: "s1" }, fields)).toThrow(UnknownColumnError);
    expect(() => updateRow(projectionSql(db), sessions, { toString: "s1" }, { model: "m" })).toThrow(
      UnknownColumnError,
    );
  });
});
