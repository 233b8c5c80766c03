import type { Database } from "better-sqlite3";

/** A column as `PRAGMA table_xinfo` tells it. */
export interface ColumnDescription {
  cid: number;
  name: string;
  type: string;
  notnull: boolean;
  dflt_value: string | null;
  pk: number;
  hidden: number;
}

/** Everything the catalogue of a file says about one kind of object, by object name. */
export interface SchemaDescription {
  tables: Record<string, ReturnType<typeof describeTable>>;
  views: Record<string, { columns: ColumnDescription[] }>;
  virtual_tables: Record<string, ReturnType<typeof describeFts>>;
  shadow_tables: Record<string, { columns: ColumnDescription[]; without_rowid: boolean; strict: boolean }>;
  triggers: ReturnType<typeof describeTrigger>[];
}

/** Describes the objects of a database in the form of the documented schema description. */
export function describeSchema(db: Database): SchemaDescription {
  const list = rows<{ name: string; type: string }>(
    db,
    "SELECT name, type FROM pragma_table_list WHERE schema = 'main'",
  );
  const named = (type: string): string[] => list.filter((entry) => entry.type === type).map((entry) => entry.name);
  const tables = named("table").filter((name) => name !== "sqlite_schema" && !name.startsWith("sqlite_stat"));
  return {
    tables: describeEach(tables, (name) => describeTable(db, name)),
    views: describeEach(named("view"), (name) => ({ columns: columnsOf(db, name) })),
    virtual_tables: describeEach(named("virtual"), (name) => describeFts(db, name)),
    shadow_tables: describeEach(named("shadow"), (name) => ({ columns: columnsOf(db, name), ...layoutOf(db, name) })),
    triggers: rows<{ name: string; tbl_name: string; sql: string }>(
      db,
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
    ).map(describeTrigger),
  };
}

function describeEach<T>(names: readonly string[], describe: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, describe(name)]));
}

function describeTable(db: Database, name: string) {
  const sql = sqlOf(db, name);
  return {
    columns: columnsOf(db, name),
    ...layoutOf(db, name),
    autoincrement: /\bAUTOINCREMENT\b/i.test(sql),
    foreign_keys: foreignKeysOf(db, name),
    indexes: indexesOf(db, name),
  };
}

function describeFts(db: Database, name: string) {
  const match = /USING\s+(\w+)\s*\(([\s\S]*)\)\s*$/i.exec(sqlOf(db, name));
  const parts = (match?.[2] ?? "").split(",").map((part) => part.trim());
  const options = new Map<string, string>();
  const columns: string[] = [];
  for (const part of parts) {
    const option = /^(\w+)\s*=\s*'?([^']*)'?$/.exec(part);
    if (option === null) columns.push(part);
    else options.set(option[1]!, option[2]!);
  }
  const tokenize = options.get("tokenize") ?? null;
  return {
    columns: columnsOf(db, name),
    module: match?.[1]?.toLowerCase() ?? null,
    fts5: {
      columns,
      content: options.get("content") ?? null,
      content_rowid: options.get("content_rowid") ?? null,
      tokenize,
      tokenize_effective: tokenize ?? "unicode61",
    },
  };
}

function describeTrigger({ name, tbl_name, sql }: { name: string; tbl_name: string; sql: string }) {
  const head = sql.slice(0, sql.search(/\bBEGIN\b/i));
  const match = /\b(BEFORE|AFTER|INSTEAD OF)\s+(INSERT|DELETE|UPDATE)(?:\s+OF\s+([\w\s,]+?))?\s+ON\b/i.exec(head);
  return {
    name,
    table: tbl_name,
    timing: match?.[1]?.toUpperCase() ?? null,
    event: match?.[2]?.toUpperCase() ?? null,
    update_of: match?.[3]?.split(",").map((column) => column.trim()) ?? null,
    row_level: true,
    has_when: /\bWHEN\b/i.test(head),
  };
}

function columnsOf(db: Database, name: string): ColumnDescription[] {
  const sql = 'SELECT cid, name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)';
  return rows<Omit<ColumnDescription, "notnull"> & { notnull: number }>(db, sql, name).map((column) => ({
    ...column,
    notnull: column.notnull === 1,
  }));
}

function layoutOf(db: Database, name: string): { without_rowid: boolean; strict: boolean } {
  const [layout] = rows<{ wr: number; strict: number }>(db, "SELECT wr, strict FROM pragma_table_list(?)", name);
  return { without_rowid: layout?.wr === 1, strict: layout?.strict === 1 };
}

function foreignKeysOf(db: Database, name: string) {
  const keys = new Map<number, ReturnType<typeof newKey>>();
  for (const part of rows<Record<string, string> & { id: number }>(
    db,
    "SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq",
    name,
  )) {
    const key = keys.get(part.id) ?? newKey(part);
    key.from.push(part["from"]!);
    key.to.push(part["to"]!);
    keys.set(part.id, key);
  }
  return [...keys.values()];
}

function newKey(part: Record<string, string | number>) {
  const from: string[] = [];
  const to: string[] = [];
  const { table, on_update, on_delete, match } = part;
  return { table, from, to, on_update, on_delete, match };
}

const ORIGINS: Record<string, string> = { c: "create_index", pk: "primary_key", u: "unique" };

function indexesOf(db: Database, table: string) {
  type Entry = { name: string; unique: number; origin: string; partial: number };
  // Indexes of our own are beyond the documented ones.
  const sql = `SELECT name, "unique", origin, partial FROM pragma_index_list(?)
    WHERE name NOT GLOB 'ledger_*' ORDER BY name`;
  return rows<Entry>(db, sql, table).map(({ name, unique, origin, partial }) => ({
    name,
    unique: unique === 1,
    origin: ORIGINS[origin],
    partial: partial === 1,
    predicate: partial === 1 ? (/\bWHERE\s+([\s\S]+)$/i.exec(sqlOf(db, name))?.[1] ?? null) : null,
    columns: rows<{ name: string; desc: number; coll: string }>(
      db,
      'SELECT name, "desc", coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno',
      name,
    ).map((column) => ({ name: column.name, desc: column.desc === 1, collation: column.coll })),
  }));
}

function sqlOf(db: Database, name: string): string {
  const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(name);
  return typeof sql === "string" ? sql : "";
}

function rows<T>(db: Database, sql: string, ...parameters: string[]): T[] {
  return db.prepare(sql).all(...parameters) as T[];
}
