import { isTruthy } from "../values/truthiness.js";
import { toPythonJson } from "../values/python-json.js";
import type { EventMetadata } from "../../events/index.js";
import type { MessageFields } from "../messages/message-record.js";
import type { ExpectedVersion, WriteTransaction } from "../write-transaction.js";

/** One message, under the documented names, with our own options for the append itself. */
export interface AppendMessageInput extends MessageFields {
  readonly session_id: string;
  readonly role: string;
  /** The compression lock the writer holds. */
  readonly compression_lock_holder?: string | null;
  /** Caller's key: the same id with the same message stores it once and returns the stored row's id. */
  readonly eventId?: string;
  /** Version the session's stream must have. */
  readonly expectedVersion?: ExpectedVersion;
  /** Actor, correlation and causation, kept with the event. */
  readonly metadata?: EventMetadata;
}

/** Appends a message; returns its row id. Emits MessageAppended. */
export function appendMessage(tx: WriteTransaction, input: AppendMessageInput): number {
  const { session_id, compression_lock_holder, eventId, expectedVersion, metadata, ...fields } = input;
  const event = tx.append(
    {
      type: "MessageAppended",
      payload: { session_id, message: { ...fields, ...jsonTexts(fields) } },
      event_id: eventId,
      metadata,
    },
    { expectedVersion, compressionLockHolder: compression_lock_holder ?? undefined },
  );
  return event.payload.message.id;
}

/** These columns hold JSON text of any argument; a text argument becomes a JSON string, an empty one nothing. */
function jsonTexts(fields: MessageFields): Partial<MessageFields> {
  const texts: Record<string, string | null> = {};
  for (const column of ["reasoning_details", "codex_reasoning_items", "codex_message_items"] as const) {
    const value = fields[column];
    if (typeof value === "string") texts[column] = isTruthy(value) ? toPythonJson(value) : null;
  }
  return texts;
}
