import { isTruthy } from "../values/truthiness.js";
import { toPythonJson } from "../values/python-json.js";
import { LedgerError, type EventMetadata, type LogEvent } from "../../events/index.js";
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

/** A message came again with a key under which it was stored, and erased since. */
export class MessageErasedError extends LedgerError {
  readonly eventId: string;
  readonly position: number;

  constructor(eventId: string, position: number) {
    super(
      "state",
      "MESSAGE_ERASED",
      `The message with the event id '${eventId}' was stored at position ${position} and has been erased since; ` +
        `nothing was appended. To store it again, give it a new id.`,
    );
    this.eventId = eventId;
    this.position = position;
  }
}

/**
 * Appends a message; returns its row id. Emits MessageAppended.
 *
 * @throws SessionNotFoundError, SessionClosedError, SessionBusyError, VersionConflictError, DuplicateConflictError,
 *   MessageErasedError, and the refusals of values
 */
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
  refuseErased(event);
  return event.payload.message.id;
}

/** A repeated key may find an event whose payload was erased, which the type of an append does not say. */
function refuseErased(event: LogEvent): void {
  if (event.erased) throw new MessageErasedError(event.event_id, event.position);
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
