import { encodePayload, type EventPayloads } from "../../events/index.js";
import { clearTraces } from "../log/clear-traces.js";
import { carriersOf, eraseEvents, eraseStreamMessages } from "../log/erase.js";
import { erasedRow, keptMessage } from "../messages/kept-message.js";
import { MESSAGE_COLUMNS, readMessages } from "../queries/read-messages.js";
import { firstRow } from "../rows.js";
import type { WriteTransaction } from "../write-transaction.js";
import { rule } from "./rule.js";
import { EventNotAllowedError, MessageNotFoundError, SessionNotFoundError } from "./rule-errors.js";
import { messageSequence } from "./stored-rows.js";

type Erasure = EventPayloads["MessageErased"];

/**
 * Says what is left of the message, and erases the events that held its content. Where one of them held other messages
 * too, every event with messages of the session goes, and this one carries the whole transcript from then on.
 */
export const messageErasedRule = rule<"MessageErased">({
  complete: (tx, input, known) => {
    const { session_id, message_id } = input;
    if (known?.session_id === session_id && known.message_id === message_id) return known;
    const erasure = whatIsLeft(tx, session_id, message_id);
    if ("messages" in input && encodePayload(input) !== encodePayload(erasure)) {
      throw new EventNotAllowedError("MessageErased", "the rows given are not what is left after the erasure");
    }
    return erasure;
  },
  after: (tx, { position, payload: { session_id, message_id } }) => {
    const carriers = carriersOf(tx.db, session_id, message_id).filter((carrier) => carrier.position < position);
    const positions = carriers.map((carrier) => carrier.position);
    if (carriers.every(({ alone }) => alone === 1)) eraseEvents(tx.db, positions);
    else eraseStreamMessages(tx.db, session_id, position - 1);
    tx.afterCommit(() => clearTraces(tx.db), "clear traces");
  },
});

function whatIsLeft(tx: WriteTransaction, session_id: string, message_id: number): Erasure {
  const counters = firstRow<Pick<Erasure, "message_count" | "tool_call_count">>(tx.db, COUNTERS, session_id);
  if (counters === undefined) throw new SessionNotFoundError(session_id);
  const carriers = carriersOf(tx.db, session_id, message_id);
  const rows = readMessages(tx.db, ROWS, session_id);
  // The row may have been replaced by others while the log still has its text.
  if (carriers.length === 0 && !rows.some(({ id }) => id === message_id)) {
    throw new MessageNotFoundError(session_id, message_id);
  }
  const alone = carriers.every((carrier) => carrier.alone === 1);
  const left = (alone ? rows.filter(({ id }) => id === message_id) : rows).map((row) =>
    keptMessage(row.id === message_id ? erasedRow(row) : row),
  );
  const range = alone
    ? { from_id: message_id, through_id: message_id }
    : { from_id: 0, through_id: messageSequence(tx.db) };
  return { session_id, message_id, ...range, messages: left, ...counters };
}

const COUNTERS = "SELECT message_count, tool_call_count FROM sessions WHERE id = ?";
const ROWS = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? ORDER BY id`;
