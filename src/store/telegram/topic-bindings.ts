import { firstRow } from "../rows.js";
import { keyArgument } from "../values/arguments.js";
import type { WriteTransaction } from "../write-transaction.js";
import { switchOff } from "./topic-mode.js";
import { topicTablesExist, type TelegramId } from "./topic-tables.js";

/** A topic and the session it gets. */
export interface TopicBinding {
  readonly chat_id: TelegramId;
  readonly thread_id: TelegramId;
  readonly user_id: TelegramId;
  readonly session_key: string;
  readonly session_id: string;
  /** `auto` unless somebody bound the topic by hand. */
  readonly managed_mode: string;
}

/**
 * Binds a topic to a session, instead of the one it had; the tables must be there. The mode of the chat stays as it is.
 * Emits TelegramTopicBound.
 *
 * @throws TopicTakenError when the session has another topic; SessionNotFoundError
 */
export function bindTelegramTopic(tx: WriteTransaction, binding: TopicBinding): void {
  const now = tx.now();
  const chat_id = keyArgument(binding.chat_id, "chat_id");
  const thread_id = keyArgument(binding.thread_id, "thread_id");
  const sql = "SELECT linked_at FROM telegram_dm_topic_bindings WHERE chat_id = ? AND thread_id = ?";
  tx.append({
    type: "TelegramTopicBound",
    payload: {
      chat_id,
      thread_id,
      user_id: keyArgument(binding.user_id, "user_id"),
      session_key: keyArgument(binding.session_key, "session_key"),
      session_id: keyArgument(binding.session_id, "session_id"),
      managed_mode: keyArgument(binding.managed_mode, "managed_mode"),
      linked_at: firstRow<{ linked_at: number }>(tx.db, sql, chat_id, thread_id)?.linked_at ?? now,
      updated_at: now,
    },
  });
}

/**
 * Takes a topic its session; with the chat's last topic its mode ends too. Returns how many there were. Emits
 * TelegramTopicUnbound and TelegramTopicModeSet.
 */
export function deleteTelegramTopicBinding(tx: WriteTransaction, chatId: TelegramId, threadId: TelegramId): 0 | 1 {
  if (!topicTablesExist(tx.db)) return 0;
  const chat_id = keyArgument(chatId, "chat_id");
  const thread_id = keyArgument(threadId, "thread_id");
  const sql = "SELECT 1 FROM telegram_dm_topic_bindings WHERE chat_id = ? AND thread_id = ?";
  if (firstRow(tx.db, sql, chat_id, thread_id) === undefined) return 0;
  tx.append({ type: "TelegramTopicUnbound", payload: { chat_id, thread_ids: [thread_id] } });
  const left = firstRow(tx.db, "SELECT 1 FROM telegram_dm_topic_bindings WHERE chat_id = ?", chat_id);
  if (left === undefined) switchOff(tx, chat_id);
  return 1;
}
