import type { Database, Statement } from "better-sqlite3";

const prepared = new WeakMap<Database, Map<string, Statement>>();

/**
 * The prepared statement for `sql` on `db`, prepared at its first use and kept as long as the connection is.
 *
 * For SQL that is written in the source: the cache has no limit, so texts that vary without bound must not come
 * here. The same object is returned every time; a caller that changes its mode (`pluck`, `raw`, `safeIntegers`)
 * changes it for everybody who uses the same text.
 *
 * @typeParam Row What the statement yields, on the word of the caller: write it beside the SQL it describes.
 * @throws SqliteError when the text cannot be compiled on this database.
 */
export function statement<Row = unknown>(db: Database, sql: string): Statement<unknown[], Row> {
  let known = prepared.get(db);
  if (known === undefined) prepared.set(db, (known = new Map<string, Statement>()));
  let found = known.get(sql);
  if (found === undefined) known.set(sql, (found = db.prepare(sql)));
  // SQLite does not know row types; this is where a caller's row type is taken on trust.
  return found as Statement<unknown[], Row>;
}
