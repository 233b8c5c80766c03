import type { Database } from "better-sqlite3";
import type { Projection } from "./projection.js";
import type { NameOf, SqlValue } from "./projection-sql.js";
import { exactNumber } from "./projection-sql.js";
import type { Table } from "./table.js";

/** A place where the file and the log disagree. */
export interface Difference {
  readonly table: string;
  /** `missing`: the log has the row, the file has not; `extra`: the reverse; `changed`: a column differs; `columns`: the tables do not have the same columns; `sequence`: the next message id differs. */
  readonly kind: "missing" | "extra" | "changed" | "columns" | "sequence";
  /** Key of the row, by column. */
  readonly key: Readonly<Record<string, SqlValue>>;
  /** The first column that differs, or null. */
  readonly column: string | null;
  /** What the log says the column holds. */
  readonly expected: SqlValue;
  /** What the file holds. */
  readonly found: SqlValue;
}

/** The comparison of one table. */
export interface TableComparison {
  readonly table: string;
  /** Rows in the file. */
  readonly rows: number;
  /** How many rows differ in all; `differences` shows the first ones. */
  readonly differing: number;
  readonly differences: readonly Difference[];
}

/**
 * Keys of `state_meta` that say how far index maintenance is. They are the only rows of a documented table that no
 * event explains.
 */
export const OPERATIONAL_META = "fts\\_%";

const SHOWN = 20;

/**
 * Compares every documented table of the file (`foundName`) with the one made from the log (`expectedName`), value by
 * value and storage class by storage class, and the sequence of message ids.
 */
export function compareTables(
  db: Database,
  projections: readonly Projection[],
  names: { readonly expected: NameOf; readonly found: NameOf },
): TableComparison[] {
  return projections.flatMap((projection) => projection.tables.map((table) => compareTable(db, table, names)));
}

function compareTable(db: Database, table: Table, names: { expected: NameOf; found: NameOf }): TableComparison {
  const expected = names.expected(table.name);
  const found = names.found(table.name);
  const expectedColumns = columnsOf(db, expected);
  const foundColumns = columnsOf(db, found);
  const rows = foundColumns.length === 0 ? 0 : count(db, `SELECT count(*) FROM ${found}`);
  if (expectedColumns.length === 0 && foundColumns.length === 0)
    return { table: table.name, rows, differing: 0, differences: [] };
  const surplus = [
    ...expectedColumns.filter((column) => !foundColumns.includes(column)),
    ...foundColumns.filter((column) => !expectedColumns.includes(column)),
  ];
  if (surplus.length > 0) {
    const difference: Difference = {
      table: table.name,
      kind: "columns",
      key: {},
      column: surplus[0] ?? null,
      expected: expectedColumns.join(", "),
      found: foundColumns.join(", "),
    };
    return { table: table.name, rows, differing: Math.max(1, rows), differences: [difference] };
  }
  const parts = [
    ...oneSided(db, table, "missing", expected, found),
    ...oneSided(db, table, "extra", found, expected),
    ...changedRows(db, table, expectedColumns, expected, found),
    ...(table.key.length === 0 ? repeated(db, table, expected, found) : []),
    ...(table.name === "messages" ? sequence(db, expected, found) : []),
  ];
  return {
    table: table.name,
    rows,
    differing: parts.reduce((sum, part) => sum + part.count, 0),
    differences: parts.flatMap((part) => part.differences).slice(0, SHOWN),
  };
}

interface Part {
  readonly count: number;
  readonly differences: readonly Difference[];
}

/** Rows that stand on one side only. */
function oneSided(db: Database, table: Table, kind: "missing" | "extra", present: string, absent: string): Part[] {
  const key = keyOf(table);
  const where = `NOT EXISTS (SELECT 1 FROM ${absent} o WHERE ${key.map((k) => `o.${k} IS r.${k}`).join(" AND ")})${onlyExplained(table)}`;
  const total = count(db, `SELECT count(*) FROM ${present} r WHERE ${where}`);
  if (total === 0) return [];
  const rows = read(
    db,
    `SELECT ${key.map((k) => `r.${k} AS ${k}`).join(", ")} FROM ${present} r WHERE ${where} LIMIT ${SHOWN}`,
  );
  const differences = rows.map((row): Difference => ({
    table: table.name,
    kind,
    key: row,
    column: null,
    expected: null,
    found: null,
  }));
  return [{ count: total, differences }];
}

/** Rows that stand on both sides and do not hold the same. */
function changedRows(db: Database, table: Table, columns: readonly string[], expected: string, found: string): Part[] {
  const key = keyOf(table);
  const others = columns.filter((column) => !key.includes(column));
  if (others.length === 0) return [];
  const differs = others.map((c) => `f.${c} IS NOT r.${c} OR typeof(f.${c}) <> typeof(r.${c})`).join(" OR ");
  const from = `FROM ${expected} r JOIN ${found} f ON ${key.map((k) => `f.${k} IS r.${k}`).join(" AND ")} WHERE (${differs})${onlyExplained(table)}`;
  const total = count(db, `SELECT count(*) ${from}`);
  if (total === 0) return [];
  const select = [
    ...key.map((k) => `r.${k} AS k_${k}`),
    ...others.flatMap((c) => [`r.${c} AS r_${c}`, `f.${c} AS f_${c}`]),
  ];
  const rows = read(db, `SELECT ${select.join(", ")} ${from} LIMIT ${SHOWN}`);
  const differences = rows.map((row): Difference => {
    const column = others.find((c) => !same(row[`r_${c}`] ?? null, row[`f_${c}`] ?? null)) ?? null;
    return {
      table: table.name,
      kind: "changed",
      key: Object.fromEntries(key.map((k) => [k, row[`k_${k}`] ?? null])),
      column,
      expected: column === null ? null : (row[`r_${column}`] ?? null),
      found: column === null ? null : (row[`f_${column}`] ?? null),
    };
  });
  return [{ count: total, differences }];
}

/** A row of a table without a key may stand there several times. */
function repeated(db: Database, table: Table, expected: string, found: string): Part[] {
  const columns = keyOf(table).join(", ");
  const counted = (name: string): string => `SELECT ${columns}, count(*) AS times FROM ${name} GROUP BY ${columns}`;
  const same = keyOf(table).map((column) => `f.${column} IS r.${column}`);
  const rows = read(
    db,
    `SELECT r.*, f.times AS found_times FROM (${counted(expected)}) r JOIN (${counted(found)}) f ON ${same.join(" AND ")}
      WHERE f.times <> r.times`,
  );
  return rows.map(({ times = null, found_times = null, ...key }): Part => ({
    count: 1,
    differences: [
      {
        table: table.name,
        kind: Number(found_times) > Number(times) ? "extra" : "missing",
        key,
        column: null,
        expected: null,
        found: null,
      },
    ],
  }));
}

/** The sequence decides the next message id, so it belongs to the rows. */
function sequence(db: Database, expected: string, found: string): Part[] {
  const [wanted, there] = [expected, found].map((name) => {
    const { schema, table } = qualified(name);
    return read(db, `SELECT seq FROM ${schema}.sqlite_sequence WHERE name = '${table}'`)[0]?.["seq"] ?? 0;
  });
  if (wanted === there || wanted === undefined || there === undefined) return [];
  return [
    {
      count: 1,
      differences: [{ table: "messages", kind: "sequence", key: {}, column: null, expected: wanted, found: there }],
    },
  ];
}

function keyOf(table: Table): readonly string[] {
  return table.key.length > 0 ? table.key : Object.keys(table.columns);
}

function onlyExplained(table: Table): string {
  return table.name === "state_meta" ? ` AND r.key NOT LIKE '${OPERATIONAL_META}' ESCAPE '\\'` : "";
}

function columnsOf(db: Database, name: string): string[] {
  const { schema, table } = qualified(name);
  return db
    .prepare<[string, string], string>("SELECT name FROM pragma_table_info(?, ?) ORDER BY name")
    .pluck()
    .all(table, schema);
}

function qualified(name: string): { schema: string; table: string } {
  const dot = name.indexOf(".");
  return dot < 0 ? { schema: "main", table: name } : { schema: name.slice(0, dot), table: name.slice(dot + 1) };
}

function count(db: Database, sql: string): number {
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

function read(db: Database, sql: string): Record<string, SqlValue>[] {
  const rows = db.prepare<[], Record<string, SqlValue>>(sql).safeIntegers(true).all();
  for (const row of rows) {
    for (const name in row) {
      const value = row[name];
      if (typeof value === "bigint") row[name] = exactNumber(value);
    }
  }
  return rows;
}

function same(a: SqlValue, b: SqlValue): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}
