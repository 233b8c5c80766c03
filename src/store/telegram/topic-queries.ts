import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../projections/sessions.js";
import { telegramTopicBindings, type TelegramTopicBindingRow } from "../../projections/telegram-topics.js";
import { previewOf, PREVIEW_CONTENT_SQL } from "../messages/preview.js";
import { LAST_ACTIVE_SQL } from "../queries/last-active.js";
import { SESSION_COLUMNS } from "../queries/session-row.js";
import { allRows, firstRow } from "../rows.js";
import { keyArgument } from "../values/arguments.js";
import { requireInt } from "../values/numbers.js";
import { topicTablesExist, type TelegramId } from "./topic-tables.js";

/** A session that a topic may be bound to. */
export interface UnlinkedTelegramSession extends SessionRow {
  /** Epoch seconds. */
  readonly last_active: number;
  /** The beginning of its first user message. */
  readonly preview: string;
}

/** Whether a chat keeps one session per topic, for this user. */
export function isTelegramTopicModeEnabled(db: Database, chatId: TelegramId, userId: TelegramId): boolean {
  if (!topicTablesExist(db)) return false;
  const sql = "SELECT 1 FROM telegram_dm_topic_mode WHERE chat_id = ? AND user_id = ? AND enabled <> 0";
  return firstRow(db, sql, keyArgument(chatId, "chat_id"), keyArgument(userId, "user_id")) !== undefined;
}

/** The binding of a topic, or null. */
export function getTelegramTopicBinding(
  db: Database,
  chatId: TelegramId,
  threadId: TelegramId,
): TelegramTopicBindingRow | null {
  if (!topicTablesExist(db)) return null;
  const sql = `${BINDING} WHERE chat_id = ? AND thread_id = ?`;
  const key = [keyArgument(chatId, "chat_id"), keyArgument(threadId, "thread_id")];
  return firstRow<TelegramTopicBindingRow>(db, sql, ...key) ?? null;
}

/** The binding of a session, or null. */
export function getTelegramTopicBindingBySession(db: Database, sessionId: string): TelegramTopicBindingRow | null {
  if (!topicTablesExist(db)) return null;
  return firstRow<TelegramTopicBindingRow>(db, `${BINDING} WHERE session_id = ?`, sessionId) ?? null;
}

/** The bindings of a chat, the last changed first. */
export function listTelegramTopicBindingsForChat(db: Database, chatId: TelegramId): TelegramTopicBindingRow[] {
  if (!topicTablesExist(db)) return [];
  const sql = `${BINDING} WHERE chat_id = ? ORDER BY updated_at DESC, thread_id`;
  return allRows<TelegramTopicBindingRow>(db, sql, keyArgument(chatId, "chat_id"));
}

/** The Telegram sessions of a user that no topic has, those active last first. */
export function listUnlinkedTelegramSessionsForUser(
  db: Database,
  userId: TelegramId,
  options: { limit?: number | undefined } = {},
): UnlinkedTelegramSession[] {
  const parameters = {
    user_id: keyArgument(userId, "user_id"),
    limit: BigInt(requireInt(options.limit ?? 10, "limit")),
  };
  const sql = topicTablesExist(db) ? UNLINKED : OF_USER;
  return allRows<SessionRow & { last_active: number; preview: string | null }>(db, sql, parameters).map((row) => ({
    ...row,
    preview: previewOf(row.preview),
  }));
}

const BINDING = `SELECT ${Object.keys(telegramTopicBindings.columns).join(", ")} FROM telegram_dm_topic_bindings`;

const ofUser = (condition: string): string => `
  SELECT ${SESSION_COLUMNS}, ${LAST_ACTIVE_SQL} AS last_active, ${PREVIEW_CONTENT_SQL} AS preview
    FROM sessions s
   WHERE s.source = 'telegram' AND s.user_id = @user_id ${condition}
   ORDER BY last_active DESC, s.started_at DESC, s.id
   LIMIT @limit`;
const OF_USER = ofUser("");
const UNLINKED = ofUser("AND NOT EXISTS (SELECT 1 FROM telegram_dm_topic_bindings b WHERE b.session_id = s.id)");
