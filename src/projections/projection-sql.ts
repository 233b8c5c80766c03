import type { Database, Statement } from "better-sqlite3";

/** A value as SQLite holds it. Whole numbers beyond 2^53 are bigint; booleans do not exist. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** A row as SQLite holds it, by column name. */
export type SqlRow = Record<string, SqlValue>;

/** Named parameters of a statement; undefined is refused by the driver, so "absent" must be decided before. */
export type SqlParameters = Readonly<Record<string, SqlValue>>;

/**
 * How a projection reaches its tables. Statements name tables in braces (`INSERT INTO {sessions} …`): the live tables
 * have these very names, a rebuild fills others beside them.
 */
export interface ProjectionSql {
  /** Runs a statement; returns how many rows it changed. */
  run(sql: string, parameters?: SqlParameters): number;
  /** The first row of a query, or undefined. */
  get(sql: string, parameters?: SqlParameters): SqlRow | undefined;
  /** All rows of a query. */
  all(sql: string, parameters?: SqlParameters): SqlRow[];
}

/** Gives the stored name of a table, view or index from the documented one: a plain word, since it is not quoted. */
export type NameOf = (name: string) => string;

/**
 * Replaces every `{name}` of a statement by its stored name, inside string literals too: `name = '{messages}'` finds
 * the entry of the stored table in a catalogue.
 */
export function withNames(sql: string, nameOf: NameOf): string {
  return sql.replace(/\{(\w+)\}/g, (_, name: string) => nameOf(name));
}

/** The live tables: every name stands for itself. */
export const liveNames: NameOf = (name) => name;

/** A {@link ProjectionSql} on a connection; statements are prepared once. */
export function projectionSql(db: Database, nameOf: NameOf = liveNames): ProjectionSql {
  const statements = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(withNames(sql, nameOf));
      if (statement.reader) statement.safeIntegers(true);
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    run: (sql, parameters = {}) => prepare(sql).run(parameters).changes,
    get: (sql, parameters = {}) => {
      const row = prepare(sql).get(parameters) as SqlRow | undefined;
      return row === undefined ? undefined : exactNumbers(row);
    },
    all: (sql, parameters = {}) => (prepare(sql).all(parameters) as SqlRow[]).map(exactNumbers),
  };
}

/**
 * The value as it must be bound where its storage class matters: the driver binds every JS number as a REAL, so a whole
 * number goes in as a bigint. Whatever is no safe integer is returned as it is.
 */
export function exact<V extends SqlValue>(value: V): V | bigint {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Turns the bigints of a row read with safe integers into numbers where these hold them exactly. Changes the row. */
export function exactNumbers(row: SqlRow): SqlRow {
  for (const name in row) {
    const value = row[name];
    if (typeof value === "bigint") row[name] = exactNumber(value);
  }
  return row;
}

/** A number where it holds the integer exactly, else the bigint. */
export function exactNumber(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}
