import type { SqlValue } from "../projection-sql.js";
import { foldTables, newRow, type Fields, type FoldTable, type FoldTableName } from "./columns.js";
import { innerMap, removeInner, type FoldHandlers, type LedgerDraft } from "./state.js";
import { telegramTables } from "./telegram.js";
import { insertMessage, messageKey, removeMessage, sessionOfMessage } from "./transcript.js";
import { modelKey } from "./usage.js";
import { compositeKey, keyOf, stored } from "./values.js";

/** How rows of one table are put into the state and taken out of it, by the values of their columns. */
interface RowAccess {
  readonly put: (state: LedgerDraft, values: Fields) => void;
  readonly remove: (state: LedgerDraft, key: Fields) => void;
}

const access: { readonly [T in FoldTableName]: RowAccess } = {
  sessions: flat(
    foldTables.sessions,
    (row) => keyOf(row.id),
    (state) => state.sessions,
  ),
  messages: {
    put: (state, values) => {
      insertMessage(state, values["session_id"] ?? null, values);
    },
    remove: (state, { id }) => {
      const key = messageKey(stored("integer", id ?? null));
      const session = key === null ? undefined : sessionOfMessage(state, key);
      if (key !== null && session !== undefined) removeMessage(state, session, key);
    },
  },
  session_model_usage: nested(
    foldTables.session_model_usage,
    (row) => keyOf(row.session_id),
    (row) => modelKey(row),
    (state) => state.session_model_usage,
  ),
  state_meta: flat(
    foldTables.state_meta,
    (row) => keyOf(row.key),
    (state) => state.state_meta,
  ),
  gateway_routing: nested(
    foldTables.gateway_routing,
    (row) => keyOf(row.scope),
    (row) => keyOf(row.session_key),
    (state) => state.gateway_routing,
  ),
  compression_locks: flat(
    foldTables.compression_locks,
    (row) => keyOf(row.session_id),
    (state) => state.compression_locks,
  ),
  async_delegations: flat(
    foldTables.async_delegations,
    (row) => keyOf(row.delegation_id),
    (state) => state.async_delegations,
  ),
  telegram_dm_topic_mode: flat(
    foldTables.telegram_dm_topic_mode,
    (row) => keyOf(row.chat_id),
    (state) => telegramTables(state).modes,
  ),
  telegram_dm_topic_bindings: nested(
    foldTables.telegram_dm_topic_bindings,
    (row) => keyOf(row.chat_id),
    (row) => keyOf(row.thread_id),
    (state) => telegramTables(state).bindings,
  ),
};

/** What a row change of another program means: the row is as the event says. Tables the fold does not keep are left. */
export const capturedHandlers = {
  RowCaptured: (state, { table, operation, key, values }) => {
    if (!isFoldTable(table)) return;
    const after: Fields | null = operation === "delete" || values === null ? null : { ...key, ...values };
    // An update keeps its row's place; an insert that replaced a row, and a changed key, begin a new one.
    const staysInPlace = operation === "update" && after !== null && sameKey(table, key, after);
    if (!staysInPlace) access[table].remove(state, key);
    if (after === null) return;
    if (table === "messages" || operation === "insert") access[table].remove(state, after);
    access[table].put(state, after);
    if (after["origin_session_id"] !== undefined && table === "async_delegations")
      state.async_delegations_origin = true;
  },
} satisfies FoldHandlers;

function isFoldTable(name: string): name is FoldTableName {
  return Object.hasOwn(foldTables, name);
}

function sameKey(name: FoldTableName, before: Fields, after: Fields): boolean {
  const table: FoldTable = foldTables[name];
  const keyText = (fields: Fields): string => {
    const row = newRow(table, fields);
    return compositeKey(table.key.map((column) => row[column] ?? null));
  };
  return keyText(before) === keyText(after);
}

function flat<C extends string>(
  table: FoldTable<C>,
  keyOfRow: (row: Record<C, SqlValue>) => string,
  rowsOf: (state: LedgerDraft) => Map<string, Record<C, SqlValue>>,
): RowAccess {
  return {
    put: (state, values) => {
      const row = newRow(table, values);
      rowsOf(state).set(keyOfRow(row), row);
    },
    remove: (state, key) => {
      rowsOf(state).delete(keyOfRow(newRow(table, key)));
    },
  };
}

function nested<C extends string>(
  table: FoldTable<C>,
  outerKey: (row: Record<C, SqlValue>) => string,
  innerKey: (row: Record<C, SqlValue>) => string,
  rowsOf: (state: LedgerDraft) => Map<string, Map<string, Record<C, SqlValue>>>,
): RowAccess {
  return {
    put: (state, values) => {
      const row = newRow(table, values);
      innerMap(rowsOf(state), outerKey(row)).set(innerKey(row), row);
    },
    remove: (state, key) => {
      const row = newRow(table, key);
      removeInner(rowsOf(state), outerKey(row), innerKey(row));
    },
  };
}
