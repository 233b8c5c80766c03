import type { MessageRecord } from "../../events/message-events.js";
import { integerColumn, textColumn } from "../values/columns.js";
import { toPythonJson } from "../values/python-json.js";
import { scrubSurrogates } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import { encodeContent } from "./content.js";
import { encodeDisplayMetadata } from "./display-metadata.js";
import { MissingColumnError } from "./missing-column-error.js";
import { encodeToolCalls } from "./tool-calls.js";

/** A message row as it is about to be stored: stored values, NULL columns left out, no id yet. */
export type NewMessageRecord = {
  [Column in keyof Omit<MessageRecord, "id">]: AnyBytes<MessageRecord[Column]>;
};

/** Bytes may come on any buffer; the schema's type names one kind only. */
type AnyBytes<Value> = Value extends Uint8Array ? Uint8Array : Value;

/** What a caller may say of a message, under the column names. Undefined counts as null. */
export interface MessageFields {
  role?: unknown;
  /** Text, null, a scalar or bytes; a list or an object is stored as structured content. */
  content?: unknown;
  tool_call_id?: unknown;
  /** A list of call objects, or its JSON text. */
  tool_calls?: unknown;
  tool_name?: unknown;
  effect_disposition?: unknown;
  /** Epoch seconds as a number or numeric text, or a Date. */
  timestamp?: unknown;
  token_count?: unknown;
  finish_reason?: unknown;
  reasoning?: unknown;
  reasoning_content?: unknown;
  reasoning_details?: unknown;
  codex_reasoning_items?: unknown;
  codex_message_items?: unknown;
  platform_message_id?: unknown;
  observed?: unknown;
  api_content?: unknown;
  display_kind?: unknown;
  /** An object, or its JSON text. */
  display_metadata?: unknown;
}

/**
 * The stored values of a message, and what its tool calls add to the session's `tool_call_count`.
 *
 * @throws `constraint` for a null role or a NaN timestamp; `encoding`, `range` and `type` refusals for values that
 *   their column can't take
 */
export function messageRecord(fields: Omit<MessageFields, "timestamp"> & { timestamp: number }): {
  row: NewMessageRecord;
  calls: number;
} {
  const toolCalls = encodeToolCalls(fields.tool_calls);
  const row: NewMessageRecord = {
    role: required(textColumn(fields.role ?? null, "role"), "role"),
    // SQLite stores -0 as 0.
    timestamp: required(Number.isNaN(fields.timestamp) ? null : fields.timestamp + 0, "timestamp"),
  };
  const set = <Column extends keyof NewMessageRecord>(column: Column, value: NewMessageRecord[Column] | null): void => {
    if (value !== null) row[column] = value;
  };
  set("content", textColumn(encodeContent(fields.content), "content"));
  set("tool_call_id", textColumn(fields.tool_call_id ?? null, "tool_call_id"));
  set("tool_calls", toolCalls.stored);
  set("tool_name", scrubbedColumn(fields.tool_name, "tool_name"));
  set("effect_disposition", textColumn(fields.effect_disposition ?? null, "effect_disposition"));
  set("token_count", integerColumn(fields.token_count ?? null, "token_count"));
  set("finish_reason", textColumn(fields.finish_reason ?? null, "finish_reason"));
  set("reasoning", scrubbedColumn(fields.reasoning, "reasoning"));
  set("reasoning_content", scrubbedColumn(fields.reasoning_content, "reasoning_content"));
  set("reasoning_details", jsonColumn(fields.reasoning_details));
  set("codex_reasoning_items", jsonColumn(fields.codex_reasoning_items));
  set("codex_message_items", jsonColumn(fields.codex_message_items));
  set("platform_message_id", textColumn(fields.platform_message_id ?? null, "platform_message_id"));
  set("observed", isTruthy(fields.observed) ? 1 : null);
  set("api_content", onlyText(fields.api_content));
  set("display_kind", onlyText(fields.display_kind));
  set("display_metadata", encodeDisplayMetadata(fields.display_metadata));
  return { row, calls: toolCalls.calls };
}

function required<Value>(value: Value | null, column: string): Value {
  if (value === null) throw new MissingColumnError(column);
  return value;
}

function scrubbedColumn(value: unknown, column: string): string | Uint8Array | null {
  return textColumn(typeof value === "string" ? scrubSurrogates(value) : (value ?? null), column);
}

/** JSON text of anything that is not empty. Text is not parsed: it becomes a JSON string. */
function jsonColumn(value: unknown): string | null {
  return isTruthy(value) ? toPythonJson(value) : null;
}

function onlyText(value: unknown): string | null {
  return typeof value === "string" ? scrubSurrogates(value) : null;
}
