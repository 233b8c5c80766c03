import type { Database } from "better-sqlite3";
import { decodeContent } from "../messages/content.js";
import { recentUserPreview } from "../messages/preview.js";
import { allRows, firstRow } from "../rows.js";

/** A message in a list to pick from. */
export interface RecentUserMessage {
  readonly id: number | bigint;
  /** Epoch seconds. */
  readonly timestamp: number;
  /** At most 80 characters on one line. */
  readonly preview: string;
}

/** A session that may want a better title: it begins with a skill invocation. */
export interface SkillScaffoldedSession {
  readonly id: string;
  readonly title: string;
  /** The first user message, as stored. */
  readonly content: string;
}

/** The newest messages that a user wrote, newest first, without those that only mark an event in the transcript. */
export function listRecentUserMessages(
  db: Database,
  sessionId: string,
  options: { readonly limit?: number | undefined; readonly include_inactive?: boolean | undefined } = {},
): RecentUserMessage[] {
  const sql = `SELECT id, timestamp, content FROM messages
    WHERE session_id = @session_id AND role = 'user' AND (display_kind IS NULL OR display_kind = '')
      AND (@include_inactive OR active = 1)
    ORDER BY id DESC LIMIT @limit`;
  return allRows<{ id: number | bigint; timestamp: number; content: unknown }>(db, sql, {
    session_id: sessionId,
    include_inactive: options.include_inactive ? 1 : 0,
    limit: options.limit ?? 20,
  }).map(({ id, timestamp, content }) => ({ id, timestamp, preview: recentUserPreview(decodeContent(content)) }));
}

/** The text of a session's first assistant message by time, rewound ones included; `''` where it has none. */
export function getFirstAssistantText(db: Database, sessionId: string): string {
  const sql = `SELECT content FROM messages
    WHERE session_id = ? AND role = 'assistant' AND content IS NOT NULL
    ORDER BY timestamp, id LIMIT 1`;
  const content = decodeContent(firstRow<{ content: unknown }>(db, sql, sessionId)?.content);
  return typeof content === "string" ? content : "";
}

/** Titled sessions whose first user message is a skill invocation, newest first. */
export function listSkillScaffoldedSessions(
  db: Database,
  options: { readonly limit?: number | undefined } = {},
): SkillScaffoldedSession[] {
  const sql = `SELECT s.id, s.title, m.content
    FROM sessions s JOIN messages m ON m.id = (
      SELECT f.id FROM messages f
       WHERE f.session_id = s.id AND f.role = 'user' AND f.content IS NOT NULL
       ORDER BY f.timestamp, f.id LIMIT 1)
    WHERE s.title IS NOT NULL AND m.content LIKE '[IMPORTANT: The user has invoked the %'
    ORDER BY s.started_at DESC, s.id DESC LIMIT ?`;
  return allRows<SkillScaffoldedSession>(db, sql, options.limit ?? 200);
}
