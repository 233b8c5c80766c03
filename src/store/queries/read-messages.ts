import type { Database } from "better-sqlite3";
import type { StoredMessageRow } from "../messages/message-row.js";
import { allTuples } from "../rows.js";

/** The columns of `messages`, by name (upgraded files have them in another order), for {@link readMessages}. */
export const MESSAGE_COLUMNS = `id, session_id, role, content, tool_call_id, tool_calls, tool_name, effect_disposition,
  timestamp, token_count, finish_reason, reasoning, reasoning_content, reasoning_details, codex_reasoning_items,
  codex_message_items, platform_message_id, observed, active, compacted, api_content, display_kind, display_metadata`;

type Row = StoredMessageRow;
type Values = readonly [
  Row["id"],
  Row["session_id"],
  Row["role"],
  Row["content"],
  Row["tool_call_id"],
  Row["tool_calls"],
  Row["tool_name"],
  Row["effect_disposition"],
  Row["timestamp"],
  Row["token_count"],
  Row["finish_reason"],
  Row["reasoning"],
  Row["reasoning_content"],
  Row["reasoning_details"],
  Row["codex_reasoning_items"],
  Row["codex_message_items"],
  Row["platform_message_id"],
  Row["observed"],
  Row["active"],
  Row["compacted"],
  Row["api_content"],
  Row["display_kind"],
  Row["display_metadata"],
];

/** Messages as stored; `sql` selects the {@link MESSAGE_COLUMNS} and nothing else. */
export function readMessages(db: Database, sql: string, ...parameters: unknown[]): StoredMessageRow[] {
  return allTuples<Values>(db, sql, ...parameters).map(toRow);
}

function toRow(values: Values): StoredMessageRow {
  return {
    id: values[0],
    session_id: values[1],
    role: values[2],
    content: values[3],
    tool_call_id: values[4],
    tool_calls: values[5],
    tool_name: values[6],
    effect_disposition: values[7],
    timestamp: values[8],
    token_count: values[9],
    finish_reason: values[10],
    reasoning: values[11],
    reasoning_content: values[12],
    reasoning_details: values[13],
    codex_reasoning_items: values[14],
    codex_message_items: values[15],
    platform_message_id: values[16],
    observed: values[17],
    active: values[18],
    compacted: values[19],
    api_content: values[20],
    display_kind: values[21],
    display_metadata: values[22],
  };
}
