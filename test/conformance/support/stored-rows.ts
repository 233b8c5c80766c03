import Database from "better-sqlite3";

type Row = Record<string, unknown>;

interface Column {
  readonly name: string;
  readonly dflt_value: string | null;
  readonly pk: number;
}

/** Tables that are no content: bookkeeping of SQLite, of the indexes, and of the log. */
const NO_CONTENT = /^(?:sqlite_|ledger_|messages_fts|schema_version$)/;

/** Keys of `state_meta` that depend on how often the file was opened. */
const UNSTABLE_META_KEYS = ["fts_storage_version"];

/** Runs `use` on a connection of its own to the file. */
function withConnection<T>(path: string, readonly: boolean, use: (db: Database.Database) => T): T {
  const db = new Database(path, { readonly, fileMustExist: true });
  try {
    return use(db);
  } finally {
    db.close();
  }
}

const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;

/** Runs statements as another program would that writes the same file: no foreign keys, no recursive triggers. */
export function plantSql(path: string, sql: string): void {
  withConnection(path, false, (db) => {
    db.pragma("foreign_keys = OFF");
    db.pragma("recursive_triggers = OFF");
    db.exec(sql);
  });
}

/** The rows that a query gives. */
export function queryRows(path: string, sql: string): unknown[] {
  return withConnection(path, true, (db) => db.prepare(sql).safeIntegers(true).all());
}

/** Whether the file has a table of that name. */
export function tableExists(path: string, name: string): boolean {
  const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";
  return withConnection(path, true, (db) => db.prepare<[string]>(sql).get(name) !== undefined);
}

function readTable(db: Database.Database, table: string): Row[] {
  const columns = db.prepare<[string], Column>("SELECT name, dflt_value, pk FROM pragma_table_info(?)").all(table);
  const key = columns.filter((column) => column.pk > 0).sort((a, b) => a.pk - b.pk);
  // The key of sessions is text, but they are listed as they came.
  const order = table === "sessions" || key.length === 0 ? "rowid" : key.map(({ name }) => quoted(name)).join(", ");
  const defaults = new Map(
    columns.map(({ name, dflt_value }) => [
      name,
      db
        .prepare<[]>(`SELECT ${dflt_value ?? "NULL"}`)
        .pluck()
        .safeIntegers(true)
        .get(),
    ]),
  );
  const rows = db
    .prepare<[], Row>(`SELECT * FROM ${quoted(table)} ORDER BY ${order}`)
    .safeIntegers(true)
    .all();
  const isShown = (name: string, value: unknown): boolean => {
    const standard = defaults.get(name);
    const same =
      typeof value === "number" && typeof standard === "bigint" ? value === Number(standard) : value === standard;
    return value !== null && !same;
  };
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name, value]) => isShown(name, value))));
}

/**
 * The content of every non-empty documented table, in the order of its key (sessions in the order of their insertion).
 * Columns that are NULL or have their default are left out. Integers are bigint.
 */
export function readContent(path: string): Record<string, Row[]> {
  return withConnection(path, true, (db) => {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .pluck()
      .all()
      .filter((name) => !NO_CONTENT.test(name));
    const content = tables.map((table): [string, Row[]] => {
      const rows = readTable(db, table);
      const unstable = (row: Row): boolean => table === "state_meta" && UNSTABLE_META_KEYS.includes(String(row["key"]));
      return [table, rows.filter((row) => !unstable(row))];
    });
    return Object.fromEntries(content.filter(([, rows]) => rows.length > 0));
  });
}

/** Columns of delegations that name the running process, and one that only some files have. */
const DELEGATION_OWNER = ["owner_pid", "owner_started_at", "origin_session_id"];

/**
 * Examples that show only some columns of a table: `"shown"` if only the columns that they show are compared, otherwise
 * the columns that are not.
 */
export const narrowedTables: Readonly<Record<string, Readonly<Record<string, "shown" | readonly string[]>>>> = {
  "usage-queue": { session_model_usage: ["first_seen", "last_seen"] },
  "archive-bulk": { sessions: "shown", messages: "shown" },
  "prune-ghosts": { sessions: "shown", messages: "shown" },
  "prune-filters": { sessions: "shown", messages: "shown" },
  "import-cycles": { sessions: "shown" },
  "auto-archive": { sessions: "shown" },
  "delegation-lifecycle": { async_delegations: DELEGATION_OWNER },
  "delegation-release-drop": { async_delegations: DELEGATION_OWNER },
  "delegation-recover": { async_delegations: DELEGATION_OWNER },
};

/** The content, narrowed to the columns that the example is about. */
export function narrowContent(
  content: Readonly<Record<string, readonly Row[]>>,
  exampleId: string,
  expected: Readonly<Record<string, readonly Row[]>>,
): Record<string, Row[]> {
  const narrowed = Object.entries(content).map(([table, rows]): [string, Row[]] => {
    const rule = narrowedTables[exampleId]?.[table];
    if (rule === undefined) return [table, [...rows]];
    const shown = new Set((expected[table] ?? []).flatMap((row) => Object.keys(row)));
    const isCompared = (column: string): boolean => (rule === "shown" ? shown.has(column) : !rule.includes(column));
    return [table, rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => isCompared(column))))];
  });
  return Object.fromEntries(narrowed);
}
