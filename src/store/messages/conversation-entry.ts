import { tryParsePythonJson } from "../values/python-json.js";
import { strip } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import { decodeContent } from "./content.js";
import { cleanContext } from "./conversation-cleaning.js";
import { decodeDisplayMetadata } from "./display-metadata.js";
import type { StoredMessageRow } from "./message-row.js";
import { decodeToolCalls } from "./tool-calls.js";

/**
 * A message in the form that goes back to a model. `role` and `content` are always there; the rest only where the
 * row has it, in the order given here. The last six only on assistant entries.
 */
export interface ConversationEntry {
  role: string;
  /** Text, null, bytes, or structured content. */
  content: unknown;
  /** The row's id, on request. */
  _row_id?: number | bigint;
  /** The exact text sent to the API, where it differs from the content. */
  api_content?: string;
  display_kind?: string;
  display_metadata?: Record<string, unknown>;
  /** Epoch seconds. */
  timestamp?: number;
  tool_call_id?: string;
  tool_name?: string;
  effect_disposition?: string;
  /** Normally a list of call objects; `[]` where the stored text does not parse. */
  tool_calls?: unknown;
  /** The platform's id of the message. */
  message_id?: string;
  observed?: true;
  finish_reason?: string;
  reasoning?: string;
  /** There even when empty: some providers ask for it back. */
  reasoning_content?: string;
  /** Null where the stored text does not parse, like the two below. */
  reasoning_details?: unknown;
  codex_reasoning_items?: unknown;
  codex_message_items?: unknown;
}

/** The entry of one row. Text of users and assistants has recalled memory taken out and is stripped. */
export function toConversationEntry(row: StoredMessageRow, options: { rowId: boolean }): ConversationEntry {
  const entry: ConversationEntry = { role: row.role, content: contentOf(row) };
  if (options.rowId) entry._row_id = row.id;
  if (row.api_content) entry.api_content = row.api_content;
  if (row.display_kind) entry.display_kind = row.display_kind;
  const metadata = decodeDisplayMetadata(row.display_metadata);
  if (metadata !== null && isTruthy(metadata)) entry.display_metadata = metadata;
  if (row.timestamp) entry.timestamp = row.timestamp;
  if (row.tool_call_id) entry.tool_call_id = row.tool_call_id;
  if (row.tool_name) entry.tool_name = row.tool_name;
  if (row.effect_disposition) entry.effect_disposition = row.effect_disposition;
  if (row.tool_calls) entry.tool_calls = decodeToolCalls(row.tool_calls);
  if (row.platform_message_id) entry.message_id = row.platform_message_id;
  if (row.observed) entry.observed = true;
  if (row.role === "assistant") addAssistantFields(entry, row);
  return entry;
}

function contentOf(row: StoredMessageRow): unknown {
  const content = decodeContent(row.content);
  const cleaned = (row.role === "user" || row.role === "assistant") && typeof content === "string";
  return cleaned ? strip(cleanContext(content)) : content;
}

function addAssistantFields(entry: ConversationEntry, row: StoredMessageRow): void {
  if (row.finish_reason) entry.finish_reason = row.finish_reason;
  if (row.reasoning) entry.reasoning = row.reasoning;
  if (row.reasoning_content !== null) entry.reasoning_content = row.reasoning_content;
  if (row.reasoning_details) entry.reasoning_details = parsedOrNull(row.reasoning_details);
  if (row.codex_reasoning_items) entry.codex_reasoning_items = parsedOrNull(row.codex_reasoning_items);
  if (row.codex_message_items) entry.codex_message_items = parsedOrNull(row.codex_message_items);
}

function parsedOrNull(text: string): unknown {
  const parsed = tryParsePythonJson(text);
  return parsed.ok ? parsed.value : null;
}
