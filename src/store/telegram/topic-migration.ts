import { TELEGRAM_SCHEMA_MARKER } from "../../projections/telegram-topics.js";
import { allRows, firstRow } from "../rows.js";
import { toInt } from "../values/numbers.js";
import type { WriteTransaction } from "../write-transaction.js";
import { bindingsCascade, topicTablesExist } from "./topic-tables.js";

/** The shape of the Telegram tables; version 1 kept the bindings of deleted sessions. */
const VERSION = 2;

/**
 * Makes the Telegram tables, or brings those of version 1 up to date: bindings of sessions that are gone are removed,
 * the others stay. Emits MetaSet, which stands for the tables, and TelegramTopicUnbound; nothing once that is done.
 */
export function applyTelegramTopicMigration(tx: WriteTransaction): void {
  const exist = topicTablesExist(tx.db);
  if (exist && storedVersion(tx) >= VERSION) return;
  if (exist && !bindingsCascade(tx.db)) unbindLostSessions(tx);
  tx.append({ type: "MetaSet", payload: { key: TELEGRAM_SCHEMA_MARKER, value: String(VERSION) } });
}

function storedVersion(tx: WriteTransaction): number {
  const sql = "SELECT value FROM state_meta WHERE key = ?";
  return Number(toInt(firstRow<{ value: unknown }>(tx.db, sql, TELEGRAM_SCHEMA_MARKER)?.value) ?? 0);
}

/** The new table refers to sessions, so it takes no binding without one. */
function unbindLostSessions(tx: WriteTransaction): void {
  const sql = `
    SELECT chat_id, thread_id FROM telegram_dm_topic_bindings
     WHERE session_id NOT IN (SELECT id FROM sessions)
     ORDER BY chat_id, thread_id`;
  for (const { chat_id, thread_id } of allRows<{ chat_id: string; thread_id: string }>(tx.db, sql)) {
    tx.append({ type: "TelegramTopicUnbound", payload: { chat_id, thread_ids: [thread_id] } });
  }
}
