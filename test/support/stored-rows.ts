import { appendRow } from "../../src/store/messages/append-row.js";
import type { MessageFields } from "../../src/store/messages/message-record.js";
import type { StoredMessageRow } from "../../src/store/messages/message-row.js";

const EMPTY_ROW: Omit<StoredMessageRow, "id"> = {
  session_id: "s1",
  role: "user",
  content: null,
  tool_call_id: null,
  tool_calls: null,
  tool_name: null,
  effect_disposition: null,
  timestamp: 1000,
  token_count: null,
  finish_reason: null,
  reasoning: null,
  reasoning_content: null,
  reasoning_details: null,
  codex_reasoning_items: null,
  codex_message_items: null,
  platform_message_id: null,
  observed: 0,
  active: 1,
  compacted: 0,
  api_content: null,
  display_kind: null,
  display_metadata: null,
};

/** A row as it stands in the table, from the columns a test is about. */
export function storedRow(columns: Partial<StoredMessageRow>): StoredMessageRow {
  return { id: 1, ...EMPTY_ROW, ...columns };
}

/** The rows that appending these messages one after the other leaves, ids from 1, clock at 1000 + id seconds. */
export function appendedRows(messages: readonly MessageFields[]): StoredMessageRow[] {
  return messages.map((message, index) => {
    const { row } = appendRow(message, { now: 1001 + index });
    return storedRow({ ...(row as Partial<StoredMessageRow>), id: index + 1 });
  });
}
