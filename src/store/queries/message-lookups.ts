import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";
import { textColumn } from "../values/columns.js";

/** Which message to look for. */
export interface LatestMessageOptions {
  /** `user` (default) or `assistant`; no other role is looked for. */
  readonly role?: string | undefined;
  /** How many newer ones to pass over. Default 0. */
  readonly offset?: number | undefined;
  /** Only messages with content that is more than spaces. Default true. */
  readonly require_text?: boolean | undefined;
}

/** The row id of a session's newest active message of a role, or null. */
export function latestMessageRowId(
  db: Database,
  sessionId: string,
  options: LatestMessageOptions = {},
): number | bigint | null {
  const { role = "user", offset = 0, require_text = true } = options;
  if ((role !== "user" && role !== "assistant") || offset < 0) return null;
  const sql = `SELECT id FROM messages
    WHERE session_id = @session_id AND role = @role AND active = 1
      AND (NOT @require_text OR (content IS NOT NULL AND TRIM(content) <> ''))
    ORDER BY id DESC LIMIT 1 OFFSET @offset`;
  const parameters = { session_id: sessionId, role, offset, require_text: require_text ? 1 : 0 };
  return firstRow<{ id: number | bigint }>(db, sql, parameters)?.id ?? null;
}

/** The role of an active message of a session, or null. */
export function getMessageRole(db: Database, sessionId: string, rowId: number): string | null {
  const sql = "SELECT role FROM messages WHERE id = ? AND session_id = ? AND active = 1";
  return firstRow<{ role: string }>(db, sql, rowId, sessionId)?.role ?? null;
}

/** How many messages a session has, or the whole store for null; rewound and compacted ones included. */
export function messageCount(db: Database, sessionId: string | null): number {
  const row =
    sessionId === null
      ? firstRow<{ messages: number }>(db, "SELECT count(*) AS messages FROM messages")
      : firstRow<{ messages: number }>(db, "SELECT count(*) AS messages FROM messages WHERE session_id = ?", sessionId);
  return row?.messages ?? 0;
}

/** Whether a session has a message with this id of the platform, rewound and compacted ones included. */
export function hasPlatformMessageId(db: Database, sessionId: string, platformMessageId: unknown): boolean {
  const sql = "SELECT 1 FROM messages WHERE session_id = ? AND platform_message_id = ? LIMIT 1";
  return firstRow(db, sql, sessionId, textColumn(platformMessageId, "platform_message_id")) !== undefined;
}

/** Whether a session has messages outside the live context: compacted or rewound ones. */
export function hasArchivedMessages(db: Database, sessionId: string): boolean {
  return firstRow(db, "SELECT 1 FROM messages WHERE session_id = ? AND active = 0 LIMIT 1", sessionId) !== undefined;
}
