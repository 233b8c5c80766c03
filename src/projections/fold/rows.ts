import type { SqlRow } from "../projection-sql.js";
import { foldTables, type FoldTable, type FoldTableName } from "./columns.js";
import type { LedgerState } from "./state.js";
import { compareValues } from "./values.js";

/** The names of the tables the fold keeps. */
export const foldTableNames = Object.keys(foldTables).filter(isFoldTableName);

/**
 * The rows of a table in the order of its key, all columns included, as `SELECT *` gives them: whole numbers as
 * number, or as bigint where a number would not be exact; REAL as number; text as string; bytes as Uint8Array. A
 * table that no event created has no rows.
 */
export function tableRows(state: LedgerState, table: FoldTableName): Readonly<SqlRow>[] {
  return sortedByKey(foldTables[table], [...unsortedRows(state, table)]);
}

function* unsortedRows(state: LedgerState, table: FoldTableName): Iterable<Readonly<SqlRow>> {
  switch (table) {
    case "messages":
    case "session_model_usage":
    case "gateway_routing":
    case "telegram_dm_topic_bindings":
      for (const rows of state[table]?.values() ?? []) yield* rows.values();
      return;
    case "async_delegations":
      for (const { origin_session_id, ...row } of state.async_delegations.values()) {
        yield state.async_delegations_origin ? { ...row, origin_session_id } : row;
      }
      return;
    default:
      yield* state[table]?.values() ?? [];
  }
}

/** Sorts rows by the key of their table, in SQLite's order of values. Changes `rows`. */
export function sortedByKey<Row extends Readonly<SqlRow>>(table: FoldTable, rows: Row[]): Row[] {
  return rows.sort((left, right) => {
    for (const column of table.key) {
      const order = compareValues(left[column] ?? null, right[column] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function isFoldTableName(name: string): name is FoldTableName {
  return Object.hasOwn(foldTables, name);
}
