import { LedgerError } from "../../events/ledger-error.js";
import { toFloat } from "../values/numbers.js";
import { isTruthy } from "../values/truthiness.js";
import { type MessageFields, type NewMessageRecord, messageRecord } from "./message-record.js";

/** A message of a batch: the column names, and the platform's id also as `message_id`. */
interface BatchMessage extends MessageFields {
  message_id?: unknown;
}

/** An entry of a list of messages is no object. */
export class NotAMessageError extends LedgerError {
  /** Where in the list, from 0. */
  readonly index: number;

  constructor(index: number) {
    super("type", "NOT_A_MESSAGE", `messages[${String(index)}] is not an object; no message of the list was written.`);
    this.index = index;
  }
}

/** How far apart, in seconds, rows of a batch are that come without a time of their own. */
const STEP = 1e-6;

/**
 * The stored values of messages written together, in order, and the sum of what they add to `tool_call_count`.
 * Differs from a single append: a message without a role is of role `unknown`, only assistants keep reasoning, and
 * times run on from `now` (epoch seconds): a message without a usable timestamp comes just after the latest so far.
 *
 * @throws NotAMessageError, and the refusals of a single append
 */
export function batchRows(
  messages: readonly object[],
  clock: { now: number },
): { rows: NewMessageRecord[]; calls: number } {
  const rows: NewMessageRecord[] = [];
  let calls = 0;
  let next = clock.now;
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) throw new NotAMessageError(index);
    const fields = batchFields(message);
    const timestamp = toFloat(fields.timestamp) ?? next;
    const record = messageRecord({ ...fields, timestamp });
    rows.push(record.row);
    calls += record.calls;
    next = Math.max(next + STEP, timestamp + STEP);
  }
  return { rows, calls };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function batchFields(message: BatchMessage): MessageFields {
  const { message_id, ...fields } = message;
  return {
    ...fields,
    ...(fields.role === "assistant" ? {} : WITHOUT_REASONING),
    role: fields.role === undefined ? "unknown" : fields.role,
    platform_message_id: isTruthy(fields.platform_message_id) ? fields.platform_message_id : message_id,
  };
}

const WITHOUT_REASONING = {
  reasoning: null,
  reasoning_content: null,
  reasoning_details: null,
  codex_reasoning_items: null,
  codex_message_items: null,
};
