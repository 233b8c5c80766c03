import { LedgerError } from "../../events/index.js";
import { statement } from "../statements.js";
import { topicTablesExist } from "../telegram/topic-tables.js";
import type { WriteTransaction } from "../write-transaction.js";
import { rule } from "./rule.js";
import { EventNotAllowedError } from "./rule-errors.js";
import { requireSession } from "./stored-rows.js";

/** The session is bound to another Telegram topic. */
export class TopicTakenError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("validation", "TOPIC_TAKEN", "session is already linked to another Telegram topic");
    this.sessionId = sessionId;
  }
}

/** For events on a delegation that must be there. */
export const ofExistingDelegation = {
  admit: (tx: WriteTransaction, { delegation_id }: { delegation_id: string }): void => {
    const found = statement(tx.db, "SELECT 1 FROM async_delegations WHERE delegation_id = ?").get(delegation_id);
    if (found === undefined) {
      throw new EventNotAllowedError("Delegation event", `delegation '${delegation_id}' does not exist`);
    }
  },
};

/** A chat that has no mode yet needs all of it. */
export const telegramTopicModeSetRule = rule<"TelegramTopicModeSet">({
  admit: (tx, { chat_id, fields }) => {
    if (fields.user_id !== undefined && fields.activated_at !== undefined) return;
    const sql = "SELECT 1 FROM telegram_dm_topic_mode WHERE chat_id = ?";
    if (topicTablesExist(tx.db) && statement(tx.db, sql).get(chat_id) !== undefined) return;
    throw new EventNotAllowedError("TelegramTopicModeSet", `chat '${chat_id}' is new, and needs a user and a start`);
  },
});

/** A topic is bound to an existing session that no other topic has. */
export const telegramTopicBoundRule = rule<"TelegramTopicBound">({
  admit: (tx, { chat_id, thread_id, session_id }) => {
    requireSession(tx.db, session_id);
    if (!topicTablesExist(tx.db)) return;
    const elsewhere = statement(
      tx.db,
      "SELECT 1 FROM telegram_dm_topic_bindings WHERE session_id = ? AND NOT (chat_id = ? AND thread_id = ?)",
    ).get(session_id, chat_id, thread_id);
    if (elsewhere !== undefined) throw new TopicTakenError(session_id);
  },
});

/** Captured rows are written by the capture triggers alone. */
export const rowCapturedRule = rule<"RowCaptured">({
  admit: (_tx, _payload, { origin }) => {
    if (origin !== "capture") throw new EventNotAllowedError("RowCaptured", "only a captured foreign write makes it");
  },
});
