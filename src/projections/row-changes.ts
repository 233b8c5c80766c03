import { LedgerError } from "../events/index.js";
import { exact, type ProjectionSql, type SqlParameters, type SqlValue } from "./projection-sql.js";
import type { Table } from "./table.js";

/** Values by column name. A key whose value is undefined counts as absent; null stands for NULL. */
export type Fields = Readonly<Record<string, SqlValue | undefined>>;

/** An event names a column that its table does not have. */
export class UnknownColumnError extends LedgerError {
  readonly table: string;
  readonly column: string;

  constructor(table: string, column: string, known: readonly string[]) {
    super(
      "projection_failed",
      "UNKNOWN_COLUMN",
      `An event sets column '${column}' of table '${table}', which has no such column; the event was not applied. ` +
        `Known columns: ${known.join(", ")}. If a newer version of this package wrote it, update the package.`,
    );
    this.table = table;
    this.column = column;
  }
}

/** Inserts a row; columns that are absent get their declared default. */
export function insertRow(sql: ProjectionSql, table: Table, fields: Fields): void {
  const names = presentColumns(table, fields);
  sql.run(insertSql(table, names), parameters("v", names, fields));
}

/** Inserts a row, or sets the given columns of the row with the same key. */
export function upsertRow(sql: ProjectionSql, table: Table, fields: Fields): void {
  const names = presentColumns(table, fields);
  const set = names.filter((name) => !table.key.includes(name)).map((name) => `${name} = excluded.${name}`);
  const resolution = set.length === 0 ? "NOTHING" : `UPDATE SET ${set.join(", ")}`;
  const statement = `${insertSql(table, names)} ON CONFLICT (${table.key.join(", ")}) DO ${resolution}`;
  sql.run(statement, parameters("v", names, fields));
}

/** Sets the given columns of the rows that `key` addresses; returns how many rows matched, 0 when nothing is given. */
export function updateRow(sql: ProjectionSql, table: Table, key: Fields, fields: Fields): number {
  const names = presentColumns(table, fields);
  if (names.length === 0) return 0;
  const keys = presentColumns(table, key);
  const set = names.map((name) => `${name} = @v_${name}`).join(", ");
  return sql.run(`UPDATE {${table.name}} SET ${set} WHERE ${matching(keys)}`, {
    ...parameters("v", names, fields),
    ...parameters("k", keys, key),
  });
}

/** Deletes the rows that `key` addresses; returns how many there were. */
export function deleteRow(sql: ProjectionSql, table: Table, key: Fields): number {
  const keys = presentColumns(table, key);
  return sql.run(`DELETE FROM {${table.name}} WHERE ${matching(keys)}`, parameters("k", keys, key));
}

/**
 * The columns of `table` that `fields` gives, in the order of the table, so that equal sets of columns make equal
 * statements. Throws {@link UnknownColumnError} for a name that is no column: names become SQL text only from here.
 */
function presentColumns(table: Table, fields: Fields): string[] {
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(table.columns, name)) throw new UnknownColumnError(table.name, name, Object.keys(table.columns));
  }
  return Object.keys(table.columns).filter((name) => fields[name] !== undefined);
}

function insertSql(table: Table, names: readonly string[]): string {
  return `INSERT INTO {${table.name}} (${names.join(", ")}) VALUES (${names.map((name) => `@v_${name}`).join(", ")})`;
}

/** IS also finds a NULL in a key, and uses the same indexes as `=`. */
function matching(names: readonly string[]): string {
  return names.map((name) => `${name} IS @k_${name}`).join(" AND ");
}

function parameters(prefix: string, names: readonly string[], fields: Fields): SqlParameters {
  return Object.fromEntries(names.map((name) => [`${prefix}_${name}`, exact(fields[name] ?? null)]));
}
