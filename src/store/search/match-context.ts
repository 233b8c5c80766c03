import type { Database } from "better-sqlite3";
import { decodeContent } from "../messages/content.js";
import { statement } from "../statements.js";
import { firstCodePoints, strip } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";

/** One of the messages around a match. */
export interface ContextEntry {
  readonly role: string;
  /** The text, cut to 200 code points; of structured content its text parts; empty when there is none. */
  readonly content: string;
}

/** Code points of a message that a context entry shows. */
const CONTEXT_LENGTH = 200;

const CONTEXT_SQL = `
SELECT role, content FROM (
  SELECT * FROM (
    SELECT -1 AS place, role, content FROM messages
    WHERE session_id = @session_id AND (timestamp, id) < (@timestamp, @id)
    ORDER BY timestamp DESC, id DESC LIMIT 1)
  UNION ALL
  SELECT 0, role, content FROM messages WHERE id = @id
  UNION ALL
  SELECT * FROM (
    SELECT 1, role, content FROM messages
    WHERE session_id = @session_id AND (timestamp, id) > (@timestamp, @id)
    ORDER BY timestamp ASC, id ASC LIMIT 1)
)
ORDER BY place`;

/**
 * The message before a match, the match itself and the message after it, in the order of their times within the
 * session; two or one at the ends. A text part that is no string leaves the whole context empty.
 *
 * @throws SqliteError for any failure of the database.
 */
export function matchContext(
  db: Database,
  match: { readonly id: number; readonly session_id: string; readonly timestamp: number },
): ContextEntry[] {
  const { id, session_id, timestamp } = match;
  const rows = statement<{ role: string; content: unknown }>(db, CONTEXT_SQL).all({ id, session_id, timestamp });
  const entries: ContextEntry[] = [];
  for (const { role, content } of rows) {
    const text = contextText(content);
    if (text === null) return [];
    entries.push({ role, content: firstCodePoints(text, CONTEXT_LENGTH) });
  }
  return entries;
}

/** What a context shows of a stored `content` value; null when a text part is no string. */
function contextText(stored: unknown): string | null {
  const content = decodeContent(stored);
  if (typeof content === "string") return content;
  return Array.isArray(content) ? partsText(content) : "";
}

function partsText(parts: readonly unknown[]): string | null {
  const texts: string[] = [];
  for (const part of parts) {
    if (!isTextPart(part) || !isTruthy(part.text)) continue;
    if (typeof part.text !== "string") return null;
    texts.push(part.text);
  }
  return strip(texts.join(" ")) || "[multimodal content]";
}

function isTextPart(part: unknown): part is { readonly type: "text"; readonly text?: unknown } {
  return typeof part === "object" && part !== null && "type" in part && part.type === "text";
}
