import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { documentedProjections, schemaStatements } from "../../src/projections/index.js";
import { listSessionsRich, type ListSessionsOptions } from "../../src/store/queries/listing/list-sessions-rich.js";
import { sessionCount, sessionCountBySource } from "../../src/store/queries/listing/session-counts.js";
import { ledgerFile } from "../support/ledger-file.js";

/** Every statement that runs, as it was written. */
function recordingDatabase(): { db: Database.Database; statements: Set<string> } {
  const db = new Database(":memory:");
  for (const sql of schemaStatements(documentedProjections)) db.exec(sql);
  const insert = db.prepare(
    "INSERT INTO sessions (id, source, parent_session_id, started_at, end_reason, pinned) VALUES (?, 'cli', ?, ?, ?, 1)",
  );
  insert.run("root", null, 1, "compression");
  insert.run("tip", "root", 2, null);
  insert.run("other", null, 3, null);
  const statements = new Set<string>();
  const prepare = db.prepare.bind(db);
  db.prepare = (sql: string) => {
    statements.add(sql);
    return prepare(sql);
  };
  return { db, statements };
}

/** What SQLite would do, a line a step. */
function planOf(db: Database.Database, sql: string): string[] {
  const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null])) as Record<
    string,
    null
  >;
  const positional: null[] = [...sql.matchAll(/\?/g)].map(() => null);
  const statement = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  return statement.all(...(positional.length > 0 ? positional : [named])).map((step) => step.detail);
}

/** The names that a statement gives to a table, and the table's own. */
function namesOf(sql: string, table: string): string[] {
  const names = [...sql.matchAll(new RegExp(`\\b(?:FROM|JOIN)\\s+${table}(?:\\s+(?:AS\\s+)?(\\w+))?`, "gi"))];
  return [table, ...names.flatMap(([, alias]) => (alias === undefined ? [] : [alias]))];
}

function scansOf(sql: string, plan: readonly string[], table: string): string[] {
  const names = namesOf(sql, table);
  return plan.filter((step) => step.startsWith("SCAN ") && names.includes(step.split(" ")[1] ?? ""));
}

const FILTERS: readonly ListSessionsOptions[] = [
  {},
  { source: "cli" },
  { sources: ["cli", "cron"], exclude_sources: ["tool"] },
  { cwd_prefix: "/home" },
  { min_message_count: 1 },
  { session_key: "key" },
  { include_archived: true },
  { archived_only: true },
  { id_query: "root" },
  { search_query: "tip" },
];
const SHAPES: readonly ListSessionsOptions[] = [
  {},
  { offset: 1 },
  { include_children: true },
  { compact_rows: true },
  { include_pinned: true },
  { project_compression_tips: false },
];

describe.each([false, true])("a page of a list, by last activity: %s", (order_by_last_active) => {
  it.each(FILTERS)("reads no more than it must with %j", (filters) => {
    const { db, statements } = recordingDatabase();
    for (const shape of SHAPES) {
      listSessionsRich(db, { min_message_count: 0, ...filters, ...shape, order_by_last_active });
      sessionCount(db, { ...filters, exclude_children: shape.include_children !== true });
      sessionCountBySource(db, { ...filters, exclude_children: shape.include_children !== true });
    }
    const ran = [...statements];
    expect(ran.length).toBeGreaterThanOrEqual(4);
    for (const sql of ran) {
      const plan = planOf(db, sql);
      expect(plan.length, sql).toBeGreaterThan(0);
      expect(scansOf(sql, plan, "messages"), sql).toEqual([]);
      // The materialized parts of a query reuse the alias of a session; only a scan of the table itself has no index.
      const ofTable = scansOf(sql, plan, "sessions").filter((step) => !step.includes("USING"));
      const derived = [...sql.matchAll(/\bFROM\s+(?:base|chain)\s+s\b/g)].length;
      expect(ofTable.length, `${sql}\n${plan.join("\n")}`).toBeLessThanOrEqual(derived);
      if (sql.includes("@limit")) {
        expect(plan.join("\n")).toContain("USING COVERING INDEX ledger_sessions_listing");
      }
      if (!order_by_last_active && sql.includes("ORDER BY s.started_at DESC, s.id DESC LIMIT")) {
        expect(plan.join("\n")).not.toContain("TEMP B-TREE FOR ORDER BY");
      }
    }
    db.close();
  });
});

describe("the check itself", () => {
  it("sees a scan of messages under another name, and one of sessions without an index", () => {
    const { db } = recordingDatabase();
    const messages = "SELECT m.content FROM messages m WHERE m.content LIKE 'x%'";
    expect(scansOf(messages, planOf(db, messages), "messages")).toEqual(["SCAN m"]);
    const sessions = "SELECT s.system_prompt FROM sessions s";
    expect(scansOf(sessions, planOf(db, sessions), "sessions")).toEqual(["SCAN s"]);
    db.close();
  });
});

describe("the indexes of our own", () => {
  it("are in a new file, and a rebuild gives them to a file without them", () => {
    const ledger = ledgerFile();
    ledger.session("a", "b");
    const raw = new Database(ledger.path);
    const own = (): unknown[] =>
      raw
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB 'ledger_sessions_*' ORDER BY 1")
        .pluck()
        .all();
    expect(own()).toEqual(["ledger_sessions_branched", "ledger_sessions_listing"]);
    raw.exec("DROP INDEX ledger_sessions_branched; DROP INDEX ledger_sessions_listing");
    const another = ledger.another();
    expect(another.listSessionsRich({ order_by_last_active: true }).map((row) => row.id)).toEqual(["b", "a"]);
    another.rebuild();
    expect(own()).toEqual(["ledger_sessions_branched", "ledger_sessions_listing"]);
    raw.close();
  });
});
