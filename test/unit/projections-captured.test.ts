import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventPayloads, StoredEvent } from "../../src/events/index.js";
import { CapturedRowError } from "../../src/projections/captured-rows.js";
import { documentedProjections } from "../../src/projections/catalogue.js";
import { projectionSql, type SqlRow } from "../../src/projections/projection-sql.js";
import { UnknownColumnError } from "../../src/projections/row-changes.js";
import { freshTables, messageAppended, project, sessionCreated, storedEvent } from "../support/events.js";

let db: Database;
beforeEach(() => {
  db = freshTables();
});
afterEach(() => {
  db.close();
});

type Captured = EventPayloads["RowCaptured"];

function captured(
  table: string,
  operation: Captured["operation"],
  key: Captured["key"],
  values: Captured["values"] = null,
): StoredEvent {
  return storedEvent("RowCaptured", { table, operation, key, values });
}

function all(table: string): SqlRow[] {
  return projectionSql(db).all(`SELECT * FROM ${table}`);
}

describe("captured rows of any documented table", () => {
  const tables = documentedProjections.flatMap((projection) => projection.tables);

  it.each(tables)("$name: inserted, changed and deleted by key", (table) => {
    db.pragma("foreign_keys = OFF");
    const names = Object.keys(table.columns);
    const value = (name: string, round: number): string | number =>
      table.columns[name]!.declaredType === "TEXT" ? `${name} ${round}` : names.indexOf(name) + 100 * round;
    const row = (round: number): Record<string, string | number> =>
      Object.fromEntries(names.map((name) => [name, value(name, round)]));
    const columns = table.key.length > 0 ? table.key : names;
    const key = (round: number) => Object.fromEntries(columns.map((name) => [name, value(name, round)]));
    if (table.name === "schema_version") db.exec("DELETE FROM schema_version");

    project(db, [captured(table.name, "insert", key(1), row(1)), captured(table.name, "insert", key(2), row(2))]);
    expect(all(table.name)).toEqual([row(1), row(2)]);
    project(db, [captured(table.name, "update", key(2), row(3))]);
    expect(all(table.name)).toEqual([row(1), row(3)]);
    project(db, [captured(table.name, "delete", key(1))]);
    expect(all(table.name)).toEqual([row(3)]);
  });
});

describe("a captured row", () => {
  it("takes the place of one with the same key, as INSERT OR REPLACE leaves it, and the index follows", () => {
    const values = { id: 1, session_id: "s1", role: "user", timestamp: 5, content: "second" };
    project(db, [sessionCreated("s1"), messageAppended("s1", 1, { content: "first" })]);
    project(db, [captured("messages", "insert", { id: 1 }, values)]);
    expect(all("messages")).toHaveLength(1);
    const match = db.prepare("SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?").pluck();
    expect([match.all("first"), match.all("second")]).toEqual([[], [1]]);
    db.exec("INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)");
  });

  it("is found by a key that is NULL", () => {
    project(db, [captured("sessions", "insert", { id: null }, { id: null, source: "cli", started_at: 1 })]);
    project(db, [captured("sessions", "update", { id: null }, { id: "now", source: "cli", started_at: 1 })]);
    expect(all("sessions").map((row) => row["id"])).toEqual(["now"]);
  });

  it("keeps values as they were: large integers, bytes, text in a number's column, NULL", () => {
    const values = {
      id: "s1",
      source: "cli",
      started_at: 1.5,
      title: new Uint8Array([1, 2]),
      input_tokens: -9223372036854775808n,
      output_tokens: "many",
      message_count: null,
    };
    project(db, [captured("sessions", "insert", { id: "s1" }, values)]);
    expect(all("sessions")[0]).toMatchObject({ ...values, title: Buffer.from([1, 2]) });
  });

  it("brings the column and the tables that exist only on demand", () => {
    const delegation = { delegation_id: "d", origin_session: "", state: "running", dispatched_at: 1, updated_at: 1 };
    project(db, [captured("async_delegations", "insert", { delegation_id: "d" }, delegation)]);
    expect(all("async_delegations")[0]).not.toHaveProperty("origin_session_id");
    const values = { ...delegation, origin_session_id: "o" };
    project(db, [captured("async_delegations", "update", { delegation_id: "d" }, values)]);
    expect(all("async_delegations")[0]).toMatchObject(values);

    const mode = { chat_id: "c", user_id: "u", activated_at: 1, updated_at: 1 };
    project(db, [captured("telegram_dm_topic_mode", "insert", { chat_id: "c" }, mode)]);
    expect(all("telegram_dm_topic_mode")[0]).toMatchObject(mode);
  });

  it("of a table that is nobody's is left alone", () => {
    const changes = db.prepare("SELECT total_changes()").pluck();
    const before = changes.get();
    project(db, [captured("delivery_obligations", "insert", { obligation_id: "o" }, { obligation_id: "o" })]);
    expect(changes.get()).toBe(before);
  });
});

describe("a captured row that makes no sense is refused, and nothing changes", () => {
  beforeEach(() => {
    project(db, [sessionCreated("s1"), sessionCreated("s2")]);
  });

  it.each([
    ["no key", captured("sessions", "delete", {})],
    ["a part of the key", captured("gateway_routing", "delete", { scope: "" })],
    ["more than the key", captured("sessions", "delete", { id: "s1", source: "cli" })],
    ["another key", captured("sessions", "update", { source: "cli" }, { archived: 1 })],
    ["no key of a table without one", captured("schema_version", "delete", {})],
    ["an update without values", captured("sessions", "update", { id: "s1" })],
    ["an insert without values", captured("sessions", "insert", { id: "s3" }, {})],
  ])("%s", (_, event) => {
    const before = all("sessions");
    expect(() => project(db, [event])).toThrow(CapturedRowError);
    expect(all("sessions")).toEqual(before);
    expect(all("schema_version")).toEqual([{ version: 23 }]);
  });

  it.each(["id = 's1' --", "nope", "__proto__", "constructor", "rowid", "ID"])("column %s", (column) => {
    const values = Object.fromEntries([
      ["source", "x"],
      [column, 1],
    ]) as Record<string, string | number>;
    const event = captured("sessions", "update", { id: "s1" }, { source: "x" });
    const spoiled = { ...event, payload: { ...event.payload, values } } as StoredEvent;
    expect(() => project(db, [spoiled])).toThrow(UnknownColumnError);
    expect(all("sessions").map((row) => row["source"])).toEqual(["cli", "cli"]);
  });
});
