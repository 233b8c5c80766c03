import { LedgerError } from "../../events/index.js";
import { decodeContent } from "../messages/content.js";
import type { StoredMessageRow } from "../messages/message-row.js";
import { MESSAGE_COLUMNS, readMessages } from "../queries/read-messages.js";
import { firstRow } from "../rows.js";
import { MessageNotFoundError } from "../rules/rule-errors.js";
import { pythonRepr } from "../values/text.js";
import type { WriteTransaction } from "../write-transaction.js";

/** A session can be rewound only to a message of its user. */
export class RewindTargetError extends LedgerError {
  readonly messageId: number;
  readonly role: string;

  constructor(messageId: number, role: string) {
    super(
      "validation",
      "REWIND_TARGET",
      `rewind target must be a 'user' message (got role=${pythonRepr(role)}, id=${messageId})`,
    );
    this.messageId = messageId;
    this.role = role;
  }
}

/** A message as stored, but with its content decoded. */
export interface RewindTarget extends Omit<StoredMessageRow, "content"> {
  readonly content: unknown;
}

/** What a rewind did. */
export interface RewindResult {
  /** How many messages left the live context. */
  readonly rewound_count: number;
  /** The target as it was before. */
  readonly target_message: RewindTarget;
  /** Id of the last message that is still active, or null. */
  readonly new_head_id: number | bigint | null;
}

/** Ids of the messages that change: how many, the first and the last. */
interface Range {
  readonly messages: number;
  readonly first: number | null;
  readonly last: number | null;
}

/**
 * Takes a user message and all active messages after it out of the live context. The session's `rewind_count` grows
 * even when no message was active any more. Emits MessagesRewound.
 *
 * @throws MessageNotFoundError, RewindTargetError
 */
export function rewindToMessage(tx: WriteTransaction, sessionId: string, targetMessageId: number): RewindResult {
  const [target] = readMessages(tx.db, TARGET, targetMessageId, sessionId);
  if (target === undefined) throw new MessageNotFoundError(sessionId, targetMessageId);
  if (target.role !== "user") throw new RewindTargetError(targetMessageId, target.role);
  const active = firstRow<Range>(tx.db, ACTIVE_FROM, sessionId, targetMessageId);
  tx.append({
    type: "MessagesRewound",
    payload: { session_id: sessionId, from_id: targetMessageId, through_id: active?.last ?? targetMessageId },
  });
  return {
    rewound_count: active?.messages ?? 0,
    target_message: { ...target, content: decodeContent(target.content) },
    new_head_id: firstRow<{ id: number | bigint | null }>(tx.db, HEAD, sessionId)?.id ?? null,
  };
}

/**
 * Makes the inactive messages of a session from an id on active again, compacted ones too. Returns how many there were.
 * Emits MessagesRestored.
 */
export function restoreRewound(tx: WriteTransaction, sessionId: string, sinceMessageId: number): number {
  const inactive = firstRow<Range>(tx.db, INACTIVE_FROM, sessionId, sinceMessageId);
  if (inactive === undefined || inactive.first === null || inactive.last === null) return 0;
  const payload = { session_id: sessionId, from_id: inactive.first, through_id: inactive.last };
  tx.append({ type: "MessagesRestored", payload });
  return inactive.messages;
}

const TARGET = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE id = ? AND session_id = ?`;
const RANGE = "SELECT count(*) AS messages, min(id) AS first, max(id) AS last FROM messages WHERE session_id = ?";
const ACTIVE_FROM = `${RANGE} AND id >= ? AND active = 1`;
const INACTIVE_FROM = `${RANGE} AND id >= ? AND active = 0`;
const HEAD = "SELECT max(id) AS id FROM messages WHERE session_id = ? AND active = 1";
