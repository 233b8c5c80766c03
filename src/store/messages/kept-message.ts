import type { KeptMessage } from "../../events/index.js";
import type { StoredMessageRow } from "./message-row.js";

/** What a row holds where an event says nothing of a column; NULL in all others. */
const USUAL: Readonly<Record<string, unknown>> = { observed: 0, active: 1, compacted: 0 };

/** A stored row as an event carries it when the row moves as it stands: what is usual is left out. */
export function keptMessage(row: StoredMessageRow): KeptMessage {
  const { session_id: _, id, role, timestamp, ...columns } = row;
  const told = Object.entries(columns).filter(([column, value]) => value !== (USUAL[column] ?? null));
  return { id: Number(id), role, timestamp, ...Object.fromEntries(told) };
}

/** Identifiers and times by which others refer to a message, and its place in the session. */
type Place =
  | "id"
  | "session_id"
  | "role"
  | "timestamp"
  | "tool_call_id"
  | "token_count"
  | "platform_message_id"
  | "observed"
  | "active"
  | "compacted";

/** What stands in the place of content that was erased; the text keeps a model from being given an empty turn. */
const ERASED: Omit<StoredMessageRow, Place> = {
  content: "[erased]",
  tool_calls: null,
  tool_name: null,
  effect_disposition: null,
  finish_reason: null,
  reasoning: null,
  reasoning_content: null,
  reasoning_details: null,
  codex_reasoning_items: null,
  codex_message_items: null,
  api_content: null,
  display_kind: "erased",
  display_metadata: null,
};

/** The row of a message whose content was erased. */
export function erasedRow(row: StoredMessageRow): StoredMessageRow {
  return { ...row, ...ERASED };
}

/** Whether nothing of a message is left to erase. */
export function isErasedRow(row: StoredMessageRow): boolean {
  const columns: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries(ERASED).every(([column, value]) => columns[column] === value);
}
