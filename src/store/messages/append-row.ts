import { toFloat } from "../values/numbers.js";
import { type MessageFields, type NewMessageRecord, messageRecord } from "./message-record.js";

/**
 * The stored values of one appended message, and what it adds to the session's `tool_call_count`. Reasoning is kept
 * for every role. Without a usable timestamp the message is of `now` (epoch seconds).
 *
 * @throws `constraint` for a null role or a NaN timestamp; `encoding`, `range` and `type` refusals for values that
 *   their column can't take
 */
export function appendRow(fields: MessageFields, clock: { now: number }): { row: NewMessageRecord; calls: number } {
  return messageRecord({ ...fields, timestamp: toFloat(fields.timestamp) ?? clock.now });
}
