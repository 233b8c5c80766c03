import { batchRows } from "../messages/batch-rows.js";
import type { NewMessageRecord } from "../messages/message-record.js";
import { messageSequence } from "../rules/stored-rows.js";
import type { WriteTransaction } from "../write-transaction.js";

/** The parts of a TranscriptRewritten that come from its messages. */
export interface NewTranscript {
  /** The highest message id given out so far. */
  readonly through_id: number;
  /** With the ids that follow it. */
  readonly messages: readonly (NewMessageRecord & { readonly id: number })[];
  readonly message_count: number;
  readonly tool_call_count: number;
}

/** Encodes messages that are written together, and numbers them; those without a time run on from now. */
export function newTranscript(tx: WriteTransaction, messages: readonly object[]): NewTranscript {
  const through_id = messageSequence(tx.db);
  const { rows, calls } = batchRows(messages, { now: tx.now() });
  return {
    through_id,
    messages: rows.map((row, index) => ({ id: through_id + 1 + index, ...row })),
    message_count: rows.length,
    tool_call_count: calls,
  };
}
