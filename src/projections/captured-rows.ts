import { LedgerError, type EventPayloads } from "../events/index.js";
import type { EventHandler } from "./projection.js";
import type { ProjectionSql } from "./projection-sql.js";
import { deleteRow, insertRow, updateRow, upsertRow } from "./row-changes.js";
import type { Table } from "./table.js";

type CapturedRow = EventPayloads["RowCaptured"];

/** A captured change cannot be applied: it does not say which row it is about, or what the row became. */
export class CapturedRowError extends LedgerError {
  readonly table: string;

  constructor(table: string, operation: CapturedRow["operation"], problem: string) {
    super(
      "projection_failed",
      "CAPTURED_ROW",
      `A captured ${operation} on table '${table}' ${problem}; the event was not applied.`,
    );
    this.table = table;
  }
}

/** What a captured change needs before it is applied, e.g. a table that exists only on demand. */
type Prepare = (sql: ProjectionSql, row: CapturedRow) => void;

/**
 * The handler of RowCaptured for one table: the row becomes what the other program made of it. Changes of other tables
 * are left to the projections that own them.
 *
 * An insert also overwrites a row with the same key, since `INSERT OR REPLACE` in the other program is captured as an
 * insert alone. Rows of a table without a key are addressed by all of their columns.
 */
export function capturedRows(table: Table, prepare?: Prepare): EventHandler<"RowCaptured"> {
  return (sql, { payload }) => {
    if (payload.table !== table.name) return;
    prepare?.(sql, payload);
    applyCapturedRow(sql, table, payload);
  };
}

function applyCapturedRow(sql: ProjectionSql, table: Table, row: CapturedRow): void {
  const { operation, key, values } = row;
  if (operation === "delete") {
    deleteRow(sql, table, wholeKey(table, row));
    return;
  }
  if (values === null || Object.keys(values).length === 0) {
    throw new CapturedRowError(table.name, operation, "carries no values");
  }
  if (operation === "update") updateRow(sql, table, wholeKey(table, row), values);
  else if (table.key.length === 0) insertRow(sql, table, values);
  else upsertRow(sql, table, { ...key, ...values });
}

/** The key of the row before the change. A part of it would address other rows as well, so all of it must be there. */
function wholeKey(table: Table, { operation, key }: CapturedRow): CapturedRow["key"] {
  const columns = table.key.length > 0 ? table.key : Object.keys(table.columns);
  const given = Object.keys(key);
  if (given.length !== columns.length || !columns.every((column) => Object.hasOwn(key, column))) {
    const problem = `gives the key columns (${given.join(", ")}) instead of (${columns.join(", ")})`;
    throw new CapturedRowError(table.name, operation, problem);
  }
  return key;
}
