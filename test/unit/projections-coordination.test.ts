import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventPayloads, StoredEvent } from "../../src/events/index.js";
import { projectionSql, type SqlRow } from "../../src/projections/projection-sql.js";
import { freshTables, project, sessionCreated, storedEvent } from "../support/events.js";

let db: Database;
beforeEach(() => {
  db = freshTables();
});
afterEach(() => {
  db.close();
});

function all(table: string): SqlRow[] {
  return projectionSql(db).all(`SELECT * FROM ${table} ORDER BY 1, 2`);
}

describe("MetaSet", () => {
  it("writes and overwrites a key, NULL included", () => {
    const set = (value: string | null) => storedEvent("MetaSet", { key: "k", value });
    project(db, [set("1")]);
    expect(all("state_meta")).toEqual([{ key: "k", value: "1" }]);
    project(db, [set(null)]);
    expect(all("state_meta")).toEqual([{ key: "k", value: null }]);
  });
});

describe("GatewayRoutesChanged", () => {
  const routes = (change: Partial<EventPayloads["GatewayRoutesChanged"]>): StoredEvent =>
    storedEvent("GatewayRoutesChanged", {
      scope: "",
      replace_all: false,
      removed: [],
      entries: [],
      updated_at: null,
      ...change,
    });

  it("saves, replaces and removes within a scope", () => {
    project(db, [
      routes({ entries: [["k1", "1"]], updated_at: 1 }),
      routes({ scope: "s", entries: [["k1", "2"]], updated_at: 2 }),
      routes({ entries: [["k1", "3"]], updated_at: 3 }),
    ]);
    expect(all("gateway_routing").map((row) => row["entry_json"])).toEqual(["3", "2"]);
    project(db, [
      routes({
        replace_all: true,
        entries: [
          ["k2", "{}"],
          ["k3", "{}"],
        ],
        updated_at: 4,
      }),
    ]);
    expect(all("gateway_routing").map((row) => row["session_key"])).toEqual(["k2", "k3", "k1"]);
    project(db, [routes({ removed: ["k2", "k1", "none"] }), routes({ scope: "t", replace_all: true })]);
    expect(all("gateway_routing")).toEqual([
      { scope: "", session_key: "k3", entry_json: "{}", updated_at: 4 },
      { scope: "s", session_key: "k1", entry_json: "2", updated_at: 2 },
    ]);
  });
});

describe("CompressionLockChanged", () => {
  const lock = (holder: string | null, expires_at: number | null): StoredEvent =>
    storedEvent("CompressionLockChanged", {
      session_id: "no such session",
      holder,
      acquired_at: holder === null ? null : 1,
      expires_at,
    });

  it("takes, extends, hands over and releases", () => {
    project(db, [lock("pid=1:a", 10), lock("pid=1:a", 20)]);
    const row = { session_id: "no such session", acquired_at: 1 };
    expect(all("compression_locks")).toEqual([{ ...row, holder: "pid=1:a", expires_at: 20 }]);
    project(db, [lock("pid=2:b", 30)]);
    expect(all("compression_locks")).toEqual([{ ...row, holder: "pid=2:b", expires_at: 30 }]);
    project(db, [lock(null, null)]);
    expect(all("compression_locks")).toEqual([]);
  });
});

describe("delegations", () => {
  const dispatched = (fields: Partial<EventPayloads["DelegationDispatched"]["fields"]> = {}): StoredEvent =>
    storedEvent("DelegationDispatched", {
      fields: {
        delegation_id: "d1",
        origin_session: "k",
        origin_ui_session_id: "",
        origin_session_id: "o",
        parent_session_id: null,
        dispatched_at: 1,
        updated_at: 2,
        owner_pid: 77,
        owner_started_at: 9007199254740993n,
        task_json: "{}",
        ...fields,
      },
    });
  const completed = storedEvent("DelegationCompleted", {
    delegation_id: "d1",
    state: "completed",
    completed_at: 3,
    updated_at: 4,
    event_json: "{}",
    result_json: null,
  });
  const delivery = (fields: EventPayloads["DelegationDeliveryChanged"]["fields"]): StoredEvent =>
    storedEvent("DelegationDeliveryChanged", { delegation_id: "d1", fields });

  it("are dispatched as running and pending", () => {
    project(db, [dispatched()]);
    expect(all("async_delegations")).toEqual([
      {
        delegation_id: "d1",
        origin_session: "k",
        origin_ui_session_id: "",
        parent_session_id: null,
        state: "running",
        dispatched_at: 1,
        completed_at: null,
        updated_at: 2,
        event_json: null,
        result_json: null,
        delivery_state: "pending",
        delivery_attempts: 0,
        delivered_at: null,
        owner_pid: 77,
        owner_started_at: 9007199254740993n,
        task_json: "{}",
        delivery_claim: null,
        delivery_claimed_at: null,
        origin_session_id: "o",
      },
    ]);
  });

  it("complete, are claimed and delivered; completing again makes them pending and keeps the attempts", () => {
    project(db, [
      dispatched(),
      completed,
      delivery({ delivery_claim: "c", delivery_claimed_at: 5, delivery_attempts: 1, updated_at: 5 }),
      delivery({ delivery_state: "delivered", delivered_at: 6, delivery_claim: null, updated_at: 6 }),
    ]);
    const [row] = all("async_delegations");
    expect(row).toMatchObject({ state: "completed", completed_at: 3, event_json: "{}", delivery_state: "delivered" });
    expect(row).toMatchObject({ delivery_claim: null, delivery_claimed_at: 5, delivery_attempts: 1, updated_at: 6 });
    project(db, [completed]);
    expect(all("async_delegations")[0]).toMatchObject({ delivery_state: "pending", delivery_attempts: 1 });
  });

  it("start over when dispatched again, and keep others' rows", () => {
    project(db, [
      dispatched(),
      dispatched({ delegation_id: "d2" }),
      completed,
      dispatched({ origin_session_id: null }),
    ]);
    const [first, second] = all("async_delegations");
    expect(first).toMatchObject({ state: "running", completed_at: null, event_json: null, origin_session_id: null });
    expect(second).toMatchObject({ delegation_id: "d2", origin_session_id: "o" });
  });

  it("are removed", () => {
    const removed = storedEvent("DelegationsRemoved", { delegation_ids: ["d1", "none"] });
    project(db, [dispatched(), dispatched({ delegation_id: "d2" }), removed]);
    expect(all("async_delegations").map((row) => row["delegation_id"])).toEqual(["d2"]);
  });

  it("can be completed and removed where no column was ever added", () => {
    project(db, [completed, storedEvent("DelegationsRemoved", { delegation_ids: ["d1"] })]);
    expect(all("async_delegations")).toEqual([]);
  });
});

describe("Telegram topics", () => {
  const mode = (fields: EventPayloads["TelegramTopicModeSet"]["fields"]): StoredEvent =>
    storedEvent("TelegramTopicModeSet", { chat_id: "1", fields });
  const bound = (fields: Partial<EventPayloads["TelegramTopicBound"]>): StoredEvent =>
    storedEvent("TelegramTopicBound", {
      chat_id: "1",
      thread_id: "10",
      user_id: "2",
      session_key: "k",
      session_id: "s1",
      managed_mode: "auto",
      linked_at: 1,
      updated_at: 1,
      ...fields,
    });
  const tables = (): unknown[] =>
    db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'telegram%'").pluck().all();

  it("an unrelated key makes no tables, the marker of their shape does", () => {
    project(db, [storedEvent("MetaSet", { key: "last_vacuum", value: "1.0" })]);
    expect(tables()).toEqual([]);
    project(db, [storedEvent("MetaSet", { key: "telegram_dm_topic_schema_version", value: "2" })]);
    expect(tables()).toEqual(["telegram_dm_topic_mode", "telegram_dm_topic_bindings"]);
  });

  it("switches the mode on and off; what is not given stays", () => {
    project(db, [
      mode({
        user_id: "2",
        enabled: 1,
        activated_at: 5,
        updated_at: 5,
        has_topics_enabled: 1,
        capability_checked_at: 5,
      }),
      mode({ enabled: 1, updated_at: 6, has_topics_enabled: null, allows_users_to_create_topics: 0 }),
      mode({ enabled: 0, updated_at: 7 }),
    ]);
    expect(all("telegram_dm_topic_mode")).toEqual([
      {
        chat_id: "1",
        user_id: "2",
        enabled: 0,
        activated_at: 5,
        updated_at: 7,
        has_topics_enabled: null,
        allows_users_to_create_topics: 0,
        capability_checked_at: 5,
        intro_message_id: null,
        pinned_message_id: null,
      },
    ]);
  });

  it("binds, rebinds and unbinds", () => {
    project(db, [sessionCreated("s1"), sessionCreated("s2"), bound({}), bound({ thread_id: "11", session_id: "s2" })]);
    project(db, [bound({ session_key: "k2", managed_mode: "manual", updated_at: 9 })]);
    expect(all("telegram_dm_topic_bindings")[0]).toMatchObject({ session_key: "k2", linked_at: 1, updated_at: 9 });
    const unbound = storedEvent("TelegramTopicUnbound", { chat_id: "1", thread_ids: ["10", "none"] });
    project(db, [unbound]);
    expect(all("telegram_dm_topic_bindings").map((row) => row["thread_id"])).toEqual(["11"]);
  });

  it("refuses a second topic for a session, and an unknown session", () => {
    project(db, [sessionCreated("s1"), bound({})]);
    expect(() => project(db, [bound({ thread_id: "11" })])).toThrow(/UNIQUE/);
    expect(() => project(db, [bound({ thread_id: "12", session_id: "none" })])).toThrow(/FOREIGN KEY/);
  });

  it("tables made in a transaction that is rolled back are made again by the next event", () => {
    const set = mode({ user_id: "2", enabled: 1, activated_at: 5, updated_at: 5 });
    expect(() => project(db, [set, bound({ session_id: "none" })])).toThrow(/FOREIGN KEY/);
    expect(tables()).toEqual([]);
    project(db, [set]);
    expect(all("telegram_dm_topic_mode")).toHaveLength(1);
  });
});
