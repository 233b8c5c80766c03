import { describe, expect, it } from "vitest";
import type { StoredEvent } from "../../src/events/index.js";
import { freshTables, messageAppended, project, sessionCreated, storedEvent } from "../support/events.js";

const NO_TOKENS = {
  input_tokens: 1,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_call_count: 1,
};

function used(session_id: string): StoredEvent {
  return storedEvent("UsageRecorded", {
    session_id,
    mode: "delta",
    counters: NO_TOKENS,
    estimated_cost_usd: null,
    actual_cost_usd: null,
    cost_status: null,
    cost_source: null,
    pricing_version: null,
    route: {},
    model_row: { model: "m", billing_provider: "", billing_base_url: "", billing_mode: "", task: "" },
    recorded_at: 1,
  });
}

function bound(session_id: string): StoredEvent {
  return storedEvent("TelegramTopicBound", {
    chat_id: "c",
    thread_id: session_id,
    user_id: "u",
    session_key: "k",
    session_id,
    managed_mode: "auto",
    linked_at: 1,
    updated_at: 1,
  });
}

function deleted(session_ids: string[], detached_ids: string[] = []): StoredEvent {
  return storedEvent("SessionsDeleted", { session_ids, detached_ids, cause: "delete", through_id: 9 });
}

describe.each([true, false])("SessionsDeleted with foreign keys %s", (foreignKeys) => {
  it("removes messages, usage and bindings, and detaches children that stay", () => {
    const db = freshTables({ foreignKeys });
    project(db, [
      sessionCreated("parent"),
      sessionCreated("delegate", { parent_session_id: "parent" }),
      sessionCreated("child", { parent_session_id: "delegate" }),
      ...["parent", "delegate", "child"].flatMap((id, index) => [messageAppended(id, index + 1), used(id), bound(id)]),
      storedEvent("CompressionLockChanged", { session_id: "parent", holder: "h", acquired_at: 1, expires_at: 2 }),
      storedEvent("MetaSet", { key: "goal:parent", value: "{}" }),
      deleted(["parent", "delegate"], ["child"]),
    ]);
    const owners = (table: string, column: string): unknown[] =>
      db.prepare(`SELECT ${column} FROM ${table}`).pluck().all();
    expect(db.prepare("SELECT id, parent_session_id FROM sessions").raw().all()).toEqual([["child", null]]);
    expect(owners("messages", "session_id")).toEqual(["child"]);
    expect(owners("messages_fts_docsize", "id")).toEqual([3]);
    expect(owners("session_model_usage", "session_id")).toEqual(["child"]);
    expect(owners("telegram_dm_topic_bindings", "session_id")).toEqual(["child"]);
    expect(owners("compression_locks", "session_id")).toEqual(["parent"]);
    expect(owners("state_meta", "key")).toEqual(["goal:parent"]);
    expect(db.pragma("foreign_key_check")).toEqual([]);
    db.close();
  });

  it("does not depend on the order in which sessions are listed, nor on cycles between them", () => {
    const db = freshTables({ foreignKeys });
    const parent = (session_id: string, parent_session_id: string): StoredEvent =>
      storedEvent("SessionUpdated", { session_id, fields: { parent_session_id }, cause: "test" });
    project(db, [
      sessionCreated("a"),
      sessionCreated("b", { parent_session_id: "a" }),
      sessionCreated("c", { parent_session_id: "b" }),
      parent("a", "c"),
      deleted(["a", "b", "c"]),
    ]);
    expect(db.prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(0);
    db.close();
  });

  it("works without the Telegram tables and does not make them", () => {
    const db = freshTables({ foreignKeys });
    project(db, [sessionCreated("a"), deleted(["a"])]);
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'telegram%'").pluck().get()).toBe(0);
    db.close();
  });

  it("leaves a session that is made again under the same id without a past", () => {
    const db = freshTables({ foreignKeys });
    project(db, [sessionCreated("a"), messageAppended("a", 9), used("a"), bound("a"), deleted(["a"])]);
    project(db, [sessionCreated("a"), bound("a"), messageAppended("a", 10)]);
    expect(db.prepare("SELECT id FROM messages").pluck().all()).toEqual([10]);
    expect(db.prepare("SELECT count(*) FROM session_model_usage").pluck().get()).toBe(0);
    db.close();
  });
});

describe("a log whose deleted sessions were erased", () => {
  it("gives the same rows as the log with them", () => {
    const survivors = [sessionCreated("kept"), messageAppended("kept", 2), used("kept")];
    const erased = [sessionCreated("gone"), messageAppended("gone", 1), messageAppended("gone", 3), used("gone")];
    const child = sessionCreated("child", { parent_session_id: "gone" });
    const shared = [child, bound("gone"), deleted(["gone"], ["child"]), messageAppended("kept", 10)];
    const tables = ["sessions", "messages", "session_model_usage", "telegram_dm_topic_bindings", "sqlite_sequence"];
    const rowsAfter = (events: readonly StoredEvent[]): unknown[] => {
      const db = freshTables({ foreignKeys: false });
      project(db, events);
      const rows = tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all());
      db.close();
      return rows;
    };
    expect(rowsAfter([...survivors, ...shared])).toEqual(rowsAfter([...survivors, ...erased, ...shared]));
  });
});
