import type { EventType } from "../../events/index.js";
import { clearTraces } from "../log/clear-traces.js";
import { eraseStreamMessages } from "../log/erase.js";
import { appendRow } from "../messages/append-row.js";
import { statement } from "../statements.js";
import { toFloat } from "../values/numbers.js";
import type { WriteTransaction } from "../write-transaction.js";
import { rule } from "./rule.js";
import {
  EventNotAllowedError,
  MessageIdTakenError,
  MessageNotFoundError,
  SessionBusyError,
  SessionClosedError,
} from "./rule-errors.js";
import { messageSequence, requireSession } from "./stored-rows.js";

/** Columns of JSON text whose text argument would be encoded once more: in an event text is what is stored. */
const JSON_TEXT_COLUMNS = ["reasoning_details", "codex_reasoning_items", "codex_message_items"] as const;

/** Fills in row id, time and encodings; the session must exist, be open for messages and not be locked by another writer. */
export const messageAppendedRule = rule<"MessageAppended">({
  complete: (tx, { session_id, message, calls }, known) => {
    const { id, ...fields } = message;
    const stored: Partial<Record<(typeof JSON_TEXT_COLUMNS)[number], string>> = {};
    for (const column of JSON_TEXT_COLUMNS) {
      const value = fields[column];
      if (typeof value === "string") {
        stored[column] = value;
        fields[column] = undefined;
      }
    }
    // A time that cannot be read is left to the store, as one that is left out.
    const timestamp = toFloat(fields.timestamp) ?? known?.message.timestamp;
    const encoded = appendRow({ ...fields, timestamp }, { now: tx.now() });
    return {
      session_id,
      message: { id: id ?? known?.message.id ?? messageSequence(tx.db) + 1, ...encoded.row, ...stored },
      calls: calls ?? encoded.calls,
    };
  },
  admit: (tx, { session_id, message }, { compressionLockHolder }) => {
    refuseLockedSession(tx, session_id, compressionLockHolder);
    const { ended_at, end_reason } = requireSession(tx.db, session_id);
    if (ended_at !== null && end_reason === "compression") throw new SessionClosedError(session_id);
    requireFreshId(tx, message.id);
  },
});

/** New rows continue the ids given out so far; clearing erases the text of the events before it. */
export const transcriptRewrittenRule = rule<"TranscriptRewritten">({
  admit: (tx, { session_id, through_id, messages, message_count }) => {
    requireSession(tx.db, session_id);
    const sequence = messageSequence(tx.db);
    if (through_id !== sequence) {
      throw new EventNotAllowedError("TranscriptRewritten", `through_id is not the highest message id, ${sequence}`);
    }
    if (message_count !== messages.length) {
      throw new EventNotAllowedError("TranscriptRewritten", "message_count is not the number of messages");
    }
    let last = sequence;
    for (const { id } of messages) {
      requireIdAfter(last, id, "TranscriptRewritten");
      last = id;
    }
  },
  after: (tx, event) => {
    if (event.payload.mode !== "clear") return;
    eraseStreamMessages(tx.db, event.payload.session_id, event.position - 1);
    tx.afterCommit(() => clearTraces(tx.db), "clear traces");
  },
});

/** The first message of the range is in the session. */
export const messagesRewoundRule = rule<"MessagesRewound">({
  admit: (tx, { session_id, from_id }) => {
    requireSession(tx.db, session_id);
    requireMessage(tx, session_id, from_id);
  },
});

/** The message is in the session. */
export const messageAnnotatedRule = rule<"MessageAnnotated">({
  admit: (tx, { session_id, message_id }) => {
    requireSession(tx.db, session_id);
    requireMessage(tx, session_id, message_id);
  },
});

function refuseLockedSession(tx: WriteTransaction, sessionId: string, holder: string | undefined): void {
  const lock = statement<{ holder: string }>(
    tx.db,
    "SELECT holder FROM compression_locks WHERE session_id = ? AND expires_at > ?",
  ).get(sessionId, tx.now());
  if (lock !== undefined && lock.holder !== holder) throw new SessionBusyError(sessionId);
}

function requireFreshId(tx: WriteTransaction, id: number): void {
  requireIdAfter(messageSequence(tx.db), id, "MessageAppended");
}

/** Ids are counted up from the highest one, so one near the last exact number would leave none for later messages. */
const HIGHEST_GIVEN_ID = 2 ** 52;

function requireIdAfter(last: number, id: number, type: EventType): void {
  if (id <= last) throw new MessageIdTakenError(id, last + 1);
  if (id > HIGHEST_GIVEN_ID) throw new EventNotAllowedError(type, `message id ${id} leaves no room for later ones`);
}

function requireMessage(tx: WriteTransaction, sessionId: string, messageId: number): void {
  const found = statement(tx.db, "SELECT 1 FROM messages WHERE id = ? AND session_id = ?").get(messageId, sessionId);
  if (found === undefined) throw new MessageNotFoundError(sessionId, messageId);
}
