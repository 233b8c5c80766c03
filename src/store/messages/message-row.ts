import { decodeContent } from "./content.js";
import { decodeDisplayMetadata } from "./display-metadata.js";
import { decodeToolCalls } from "./tool-calls.js";

/**
 * A row of `messages` as SQLite holds it, with all 23 columns. JSON columns are text. An integer is a bigint where a
 * number can't hold it exactly.
 */
export interface StoredMessageRow {
  id: number | bigint;
  session_id: string;
  role: string;
  /** Plain text, the marker form of structured content, or bytes. */
  content: string | Uint8Array | null;
  tool_call_id: string | null;
  tool_calls: string | null;
  tool_name: string | null;
  effect_disposition: string | null;
  /** Epoch seconds. */
  timestamp: number;
  token_count: number | bigint | null;
  finish_reason: string | null;
  reasoning: string | null;
  reasoning_content: string | null;
  reasoning_details: string | null;
  codex_reasoning_items: string | null;
  codex_message_items: string | null;
  platform_message_id: string | null;
  /** 0 or 1, like `active` and `compacted`; NULL in rows of old versions. */
  observed: number | null;
  active: number;
  compacted: number;
  api_content: string | null;
  display_kind: string | null;
  display_metadata: string | null;
}

/**
 * A message as readers get it: all 23 columns, with `content`, `tool_calls` and `display_metadata` decoded. The
 * other JSON columns stay text, the flags stay 0 and 1.
 */
export interface MessageRow extends Omit<StoredMessageRow, "content" | "tool_calls" | "display_metadata"> {
  /** Text, null, bytes, or the structured content. */
  content: unknown;
  /** Normally a list of call objects; `[]` where the stored text does not parse. */
  tool_calls: unknown;
  display_metadata: Record<string, unknown> | null;
}

/** Decodes a stored row; the row itself is left alone. */
export function decodeMessageRow(row: StoredMessageRow): MessageRow {
  return {
    ...row,
    content: decodeContent(row.content),
    tool_calls: decodeToolCalls(row.tool_calls),
    display_metadata: decodeDisplayMetadata(row.display_metadata),
  };
}
