import { firstRow, allRows } from "../rows.js";
import { keyArgument } from "../values/arguments.js";
import { booleanColumn } from "../values/columns.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";
import { topicTablesExist, type TelegramId } from "./topic-tables.js";

/** What a chat's bot may do; null where that is not known. */
export interface TopicCapabilities {
  readonly has_topics_enabled?: boolean | null | undefined;
  readonly allows_users_to_create_topics?: boolean | null | undefined;
}

/** Switches the topic mode of a chat on; the tables must be there. Emits TelegramTopicModeSet. */
export function enableTelegramTopicMode(
  tx: WriteTransaction,
  chatId: TelegramId,
  userId: TelegramId,
  capabilities: TopicCapabilities = {},
): void {
  const chat_id = keyArgument(chatId, "chat_id");
  const now = tx.now();
  const fields = {
    user_id: keyArgument(userId, "user_id"),
    enabled: 1,
    updated_at: now,
    has_topics_enabled: capability(capabilities.has_topics_enabled),
    allows_users_to_create_topics: capability(capabilities.allows_users_to_create_topics),
    capability_checked_at: now,
    ...(hasMode(tx, chat_id) ? {} : { activated_at: now }),
  } as const;
  tx.append({ type: "TelegramTopicModeSet", payload: { chat_id, fields } });
}

/**
 * Switches the topic mode of a chat off, and forgets its topics unless told otherwise. Emits TelegramTopicModeSet and
 * TelegramTopicUnbound, each only where there is something.
 */
export function disableTelegramTopicMode(
  tx: WriteTransaction,
  chatId: TelegramId,
  options: { clear_bindings?: boolean | undefined } = {},
): void {
  if (!topicTablesExist(tx.db)) return;
  const chat_id = keyArgument(chatId, "chat_id");
  switchOff(tx, chat_id);
  if (!isTruthy(options.clear_bindings ?? true)) return;
  const sql = "SELECT thread_id FROM telegram_dm_topic_bindings WHERE chat_id = ? ORDER BY thread_id";
  const thread_ids = allRows<{ thread_id: string }>(tx.db, sql, chat_id).map((row) => row.thread_id);
  if (thread_ids.length > 0) tx.append({ type: "TelegramTopicUnbound", payload: { chat_id, thread_ids } });
}

/** Switches the mode of a chat off where there is one. Emits TelegramTopicModeSet. */
export function switchOff(tx: WriteTransaction, chat_id: string): void {
  if (!hasMode(tx, chat_id)) return;
  tx.append({ type: "TelegramTopicModeSet", payload: { chat_id, fields: { enabled: 0, updated_at: tx.now() } } });
}

function hasMode(tx: WriteTransaction, chat_id: string): boolean {
  return firstRow(tx.db, "SELECT 1 FROM telegram_dm_topic_mode WHERE chat_id = ?", chat_id) !== undefined;
}

function capability(value: unknown): 0 | 1 | null {
  return value === null || value === undefined ? null : booleanColumn(value);
}
