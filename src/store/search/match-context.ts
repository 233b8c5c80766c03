import type { Database } from "better-sqlite3";
import { decodeContent } from "../messages/content.js";
import { statement } from "../statements.js";
import { firstCodePoints, strip } from "../values/text.js";
import type { SearchMessagesOptions } from "./search-options.js";

/** One of the messages around a match. */
export interface ContextEntry {
  readonly role: string;
  /** The text, cut to 200 code points; of structured content its text parts; empty when there is none. */
  readonly content: string;
}

/** Code points of a message that a context entry shows. */
const CONTEXT_LENGTH = 200;

// A neighbour is a message that the search itself may show: the undone ones are in no context either.
const VISIBLE = "(@include_inactive OR active = 1 OR compacted = 1)";

const CONTEXT_SQL = `
SELECT role, content FROM (
  SELECT * FROM (
    SELECT -1 AS place, role, content FROM messages
    WHERE session_id = @session_id AND (timestamp, id) < (@timestamp, @id) AND ${VISIBLE}
    ORDER BY timestamp DESC, id DESC LIMIT 1)
  UNION ALL
  SELECT 0, role, content FROM messages WHERE id = @id
  UNION ALL
  SELECT * FROM (
    SELECT 1, role, content FROM messages
    WHERE session_id = @session_id AND (timestamp, id) > (@timestamp, @id) AND ${VISIBLE}
    ORDER BY timestamp ASC, id ASC LIMIT 1)
)
ORDER BY place`;

/**
 * The message before a match, the match itself and the message after it, in the order of their times within the
 * session; two or one at the ends. Messages that were undone are neighbours only where the search includes them.
 *
 * @throws SqliteError for any failure of the database.
 */
export function matchContext(
  db: Database,
  match: { readonly id: number; readonly session_id: string; readonly timestamp: number },
  options: Pick<SearchMessagesOptions, "include_inactive"> = {},
): ContextEntry[] {
  const { id, session_id, timestamp } = match;
  const include_inactive = options.include_inactive === true ? 1 : 0;
  const rows = statement<{ role: string; content: unknown }>(db, CONTEXT_SQL);
  return rows
    .all({ id, session_id, timestamp, include_inactive })
    .map(({ role, content }) => ({ role, content: firstCodePoints(contextText(content), CONTEXT_LENGTH) }));
}

/** What a context shows of a stored `content` value. */
function contextText(stored: unknown): string {
  const content = decodeContent(stored);
  if (typeof content === "string") return content;
  return Array.isArray(content) ? partsText(content) : "";
}

/** The text parts; a part whose text is no string has nothing to show and takes nothing from the others. */
function partsText(parts: readonly unknown[]): string {
  const texts = parts.flatMap((part) => (isTextPart(part) ? [part.text] : []));
  return strip(texts.join(" ")) || "[multimodal content]";
}

function isTextPart(part: unknown): part is { readonly type: "text"; readonly text: string } {
  if (typeof part !== "object" || part === null || !("type" in part) || !("text" in part)) return false;
  return part.type === "text" && typeof part.text === "string" && part.text !== "";
}
