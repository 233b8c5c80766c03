import type { Database, Statement } from "better-sqlite3";
import { exactNumber, exactNumbers, type SqlRow, type SqlValue } from "../projections/index.js";

/**
 * The one place where rows of the file get their types. Rows are read with safe integers, so that whole numbers beyond
 * 2^53 arrive as bigint and smaller ones as numbers. A row type is taken on trust: write it beside the SQL.
 */
const prepared = new WeakMap<Database, Map<string, Statement>>();

/** All rows of a query. */
export function allRows<Row>(db: Database, sql: string, ...parameters: unknown[]): Row[] {
  const rows = safeStatement(db, sql).all(...parameters) as SqlRow[];
  for (const row of rows) exactNumbers(row);
  return rows as Row[];
}

/** The first row of a query, or undefined. */
export function firstRow<Row>(db: Database, sql: string, ...parameters: unknown[]): Row | undefined {
  const row = safeStatement(db, sql).get(...parameters) as SqlRow | undefined;
  return row === undefined ? undefined : (exactNumbers(row) as Row);
}

/**
 * All rows of a query as tuples of their values, in the order of the columns. For wide rows in great number: making an
 * object from a tuple in one literal is several times faster than letting the driver make it key by key.
 */
export function allTuples<Tuple extends readonly unknown[]>(
  db: Database,
  sql: string,
  ...parameters: unknown[]
): Tuple[] {
  const statement = safeStatement(db, sql).raw(true);
  try {
    const rows = statement.all(...parameters) as SqlValue[][];
    for (const row of rows) exactTuple(row);
    return rows as unknown[] as Tuple[];
  } finally {
    statement.raw(false);
  }
}

function exactTuple(row: SqlValue[]): void {
  for (let index = 0; index < row.length; index++) {
    const value = row[index];
    if (typeof value === "bigint") row[index] = exactNumber(value);
  }
}

function safeStatement(db: Database, sql: string): Statement {
  let statements = prepared.get(db);
  if (statements === undefined) prepared.set(db, (statements = new Map<string, Statement>()));
  let found = statements.get(sql);
  if (found === undefined) statements.set(sql, (found = db.prepare(sql).safeIntegers(true)));
  return found;
}
