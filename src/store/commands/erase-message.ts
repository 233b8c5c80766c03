import { carriersOf } from "../log/erase.js";
import { isErasedRow } from "../messages/kept-message.js";
import { MESSAGE_COLUMNS, readMessages } from "../queries/read-messages.js";
import type { WriteTransaction } from "../write-transaction.js";

/**
 * Erases the content of one message from the tables and from the log. Its place in the session stays, with role, time
 * and the ids by which others refer to it. Returns whether there was content to erase. Emits MessageErased.
 *
 * @throws SessionNotFoundError, MessageNotFoundError
 */
export function eraseMessage(tx: WriteTransaction, sessionId: string, messageId: number): boolean {
  const row = readMessages(tx.db, ROW, sessionId, messageId)[0];
  if (row !== undefined && isErasedRow(row) && carriersOf(tx.db, sessionId, messageId).length === 0) return false;
  tx.append({ type: "MessageErased", payload: { session_id: sessionId, message_id: messageId } });
  return true;
}

const ROW = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? AND id = ?`;
