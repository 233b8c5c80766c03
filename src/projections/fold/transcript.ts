import type { SqlValue } from "../projection-sql.js";
import { foldTables, newRow, type Fields, type FoldRow } from "./columns.js";
import { innerMap, removeInner, type LedgerDraft, type LedgerState, type MessageKey } from "./state.js";
import { keyOf, stored } from "./values.js";

type MessageRow = FoldRow<(typeof foldTables)["messages"]>;

const BLOCK = 1024;

/** The session a message belongs to, by the key of the message; undefined for an unknown message. */
export function sessionOfMessage(state: LedgerState | LedgerDraft, key: MessageKey): string | undefined {
  return state.message_sessions.get(blockOf(key))?.get(key);
}

/** The map key of a message id, or null for what is no row id. */
export function messageKey(id: SqlValue | undefined): MessageKey | null {
  if (typeof id === "bigint") return Number.isSafeInteger(Number(id)) ? Number(id) : id.toString();
  return typeof id === "number" && Number.isSafeInteger(id) ? id : null;
}

/** Adds a message row. The highest id given out follows, as with AUTOINCREMENT. */
export function insertMessage(state: LedgerDraft, session_id: SqlValue, fields: Fields): void {
  const row = newRow(foldTables.messages, fields);
  row.session_id = stored("text", session_id);
  const key = messageKey(row.id);
  if (key === null) return;
  const session = keyOf(row.session_id);
  // Frozen at once: most messages never change, and what is frozen is not searched when a draft is finished.
  innerMap(state.messages, session).set(key, Object.freeze(row));
  innerMap(state.message_sessions, blockOf(key)).set(key, session);
  raiseSequence(state, row.id);
}

/** A message row to be changed, or undefined for an unknown message. */
export function editableMessage(state: LedgerDraft, session: string, key: MessageKey): MessageRow | undefined {
  const transcript = state.messages.get(session);
  const row = transcript?.get(key);
  if (row === undefined || !Object.isFrozen(row)) return row;
  const copy = { ...row };
  transcript?.set(key, copy);
  return copy;
}

/** Removes a message of a session. */
export function removeMessage(state: LedgerDraft, session: string, key: MessageKey): void {
  removeInner(state.messages, session, key);
  removeInner(state.message_sessions, blockOf(key), key);
}

/** Removes all messages of a session. */
export function removeTranscript(state: LedgerDraft, session: string): void {
  const transcript = state.messages.get(session);
  if (transcript === undefined) return;
  for (const key of transcript.keys()) removeInner(state.message_sessions, blockOf(key), key);
  state.messages.delete(session);
}

/** Notes that `id` was given out. */
export function raiseSequence(state: LedgerDraft, id: SqlValue): void {
  if ((typeof id === "number" || typeof id === "bigint") && id > state.message_sequence) state.message_sequence = id;
}

function blockOf(key: MessageKey): number {
  return typeof key === "number" ? Math.floor(key / BLOCK) : Infinity;
}
