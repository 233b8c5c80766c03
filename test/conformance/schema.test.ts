import { readFileSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { documentedProjections } from "../../src/projections/catalogue.js";
import { conversationIndex, indexStatements, messagesFtsCjk } from "../../src/projections/messages-fts.js";
import { liveNames, projectionSql, withNames } from "../../src/projections/projection-sql.js";
import { SCHEMA_VERSION } from "../../src/projections/schema-version.js";
import { freshTables, project, storedEvent } from "../support/events.js";
import { sharedPath } from "../support/shared.js";
import { describeSchema, type SchemaDescription } from "../support/schema-description.js";

interface Documented extends SchemaDescription {
  schema_version: number;
  row_state_after_first_open: { schema_version_rows: number[]; state_meta: Record<string, string> };
  on_demand: {
    telegram_topic_mode: Pick<SchemaDescription, "tables">;
    cjk_index: Omit<SchemaDescription, "tables">;
    async_delegation_writer: { extra_columns: { async_delegations: unknown } };
  };
}

const TEXT = readFileSync(new URL("./data/schema-v23.json", import.meta.url), "utf8");
const documented = sorted(JSON.parse(TEXT) as Documented);

/** Indexes and triggers by name: their order of creation is of no consequence. */
function sorted<T>(value: T): T {
  if (Array.isArray(value)) {
    const items = value.map(sorted) as T & unknown[];
    const named = items.every(
      (item) => typeof item === "object" && item !== null && "name" in item && !("cid" in item),
    );
    const indexColumns = items.some((item) => typeof item === "object" && item !== null && "collation" in item);
    return named && !indexColumns ? items.sort(byName) : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sorted(inner)])) as T;
}

function byName(left: unknown, right: unknown): number {
  const [a, b] = [(left as { name: string }).name, (right as { name: string }).name];
  return a < b ? -1 : a > b ? 1 : 0;
}

let db: Database;
beforeEach(() => {
  db = freshTables();
});
afterEach(() => {
  db.close();
});

describe("a fresh file", () => {
  it.each(["tables", "views", "virtual_tables", "shadow_tables"] as const)("has the documented %s", (kind) => {
    const made = sorted(describeSchema(db)[kind]);
    expect(Object.keys(made).sort()).toEqual(Object.keys(documented[kind]).sort());
    for (const [name, description] of Object.entries(documented[kind])) expect(made[name], name).toEqual(description);
  });

  it("has the documented triggers", () => {
    expect(describeSchema(db).triggers).toEqual(documented.triggers);
  });

  it("says its version and holds no metadata", () => {
    expect(SCHEMA_VERSION).toBe(documented.schema_version);
    const versions = db.prepare("SELECT version FROM schema_version").pluck().all();
    expect(versions).toEqual(documented.row_state_after_first_open.schema_version_rows);
    expect(db.prepare("SELECT count(*) FROM state_meta").pluck().get()).toBe(0);
    expect(documented.row_state_after_first_open.state_meta).toEqual({});
  });

  it("is described by the projections: every table and its key, once", () => {
    const tables = documentedProjections.filter((projection) => projection.onDemand !== true).flatMap((p) => p.tables);
    const names = tables.map((table) => table.name).sort();
    expect(names).toEqual(
      Object.keys(documented.tables)
        .filter((name) => name !== "sqlite_sequence")
        .sort(),
    );
    for (const table of tables) {
      const columns = documented.tables[table.name]!.columns;
      const declared = Object.entries(table.columns).filter(([, column]) => !column.onDemand);
      expect(declared.map(([name]) => name)).toEqual(columns.map((column) => column.name));
      const key = columns.filter((column) => column.pk > 0).sort((a, b) => a.pk - b.pk);
      expect(table.key).toEqual(key.map((column) => column.name));
    }
  });

  it("asks for the state of a backfill in every trigger", () => {
    for (const { sql } of db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").all() as {
      sql: string;
    }[]) {
      expect(sql).toContain("fts_rebuild_high_water");
      expect(sql).toContain("fts_rebuild_progress");
    }
  });
});

describe("objects on demand", () => {
  it("are not in a fresh file", () => {
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'telegram%' OR name LIKE '%cjk%'").all();
    expect(names).toEqual([]);
    expect(describeSchema(db).tables["async_delegations"]!.columns).toHaveLength(18);
  });

  it("the Telegram tables have the documented form", () => {
    const fields = { user_id: "2", enabled: 1 as const, activated_at: 1, updated_at: 1 };
    project(db, [storedEvent("TelegramTopicModeSet", { chat_id: "1", fields })]);
    const { tables } = sorted(describeSchema(db));
    for (const [name, description] of Object.entries(documented.on_demand.telegram_topic_mode.tables)) {
      expect(tables[name], name).toEqual(description);
    }
  });

  it("the first dispatch adds the documented column", () => {
    project(db, [storedEvent("DelegationDispatched", { fields: dispatch })]);
    const column = describeSchema(db).tables["async_delegations"]!.columns.find((c) => c.name === "origin_session_id");
    expect([column]).toEqual(documented.on_demand.async_delegation_writer.extra_columns.async_delegations);
  });

  it("the CJK index has the documented form, apart from its tokenizer, which is an extension", () => {
    const gate = { highWater: "fts_cjk_rebuild_high_water", progress: "fts_cjk_rebuild_progress" };
    const standIn = conversationIndex("messages_fts_cjk", "unicode61", gate);
    expect({ ...standIn, table: standIn.table.replace("unicode61", "cjk_unicode61") }).toEqual(messagesFtsCjk);
    for (const statement of indexStatements(standIn)) db.exec(withNames(statement, liveNames));
    const made = describeSchema(db);
    const expected = documented.on_demand.cjk_index;
    expect(made.views["messages_fts_cjk_src"]).toEqual(expected.views["messages_fts_cjk_src"]);
    expect(made.triggers.filter(({ name }) => name.includes("_cjk_"))).toEqual(expected.triggers);
    for (const [name, shadow] of Object.entries(expected.shadow_tables)) {
      expect(made.shadow_tables[name], name).toEqual(shadow);
    }
    const index = made.virtual_tables["messages_fts_cjk"]!;
    const tokenizers = { tokenize: "cjk_unicode61", tokenize_effective: "cjk_unicode61" };
    expect({ ...index, fts5: { ...index.fts5, ...tokenizers } }).toEqual(expected.virtual_tables["messages_fts_cjk"]);
  });
});

describe("the committed description", () => {
  const original = sharedPath("spec", "schema-v23.json");
  it.skipIf(original === null)("is the shared one", () => {
    expect(JSON.parse(TEXT)).toEqual(JSON.parse(readFileSync(original!, "utf8")));
  });
});

const dispatch = {
  delegation_id: "d1",
  origin_session: "k",
  origin_ui_session_id: "",
  origin_session_id: null,
  parent_session_id: null,
  dispatched_at: 1,
  updated_at: 1,
  owner_pid: 7,
  owner_started_at: null,
  task_json: null,
};

describe("building under other names", () => {
  it("leaves the live tables alone and keeps the documented names in references", () => {
    const aside = (name: string): string => `${name}__next`;
    const before = describeSchema(db);
    for (const { tables } of documentedProjections) {
      for (const statement of tables.flatMap((table) => table.schema)) db.exec(withNames(statement, aside));
    }
    const after = describeSchema(db);
    for (const name of Object.keys(before.tables)) expect(after.tables[name]).toEqual(before.tables[name]);
    const references = Object.values(after.tables).flatMap((table) => table.foreign_keys.map((key) => key.table));
    expect(new Set(references)).toEqual(new Set(["sessions"]));
    expect(after.tables["sessions__next"]!.foreign_keys).toHaveLength(1);
    expect(projectionSql(db, aside).all("SELECT name FROM sqlite_schema WHERE name = '{messages}'")).toEqual([
      { name: "messages__next" },
    ]);
  });
});
