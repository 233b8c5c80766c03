import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";

/** Whether the Telegram tables are there; they are made by the first opt-in. */
export function topicTablesExist(db: Database): boolean {
  const sql = `
    SELECT count(*) AS tables FROM sqlite_schema
     WHERE type = 'table' AND name IN ('telegram_dm_topic_mode', 'telegram_dm_topic_bindings')`;
  return firstRow<{ tables: number }>(db, sql)?.tables === 2;
}

/** Whether deleting a session also deletes its binding; tables of version 1 lack that. */
export function bindingsCascade(db: Database): boolean {
  const sql = `
    SELECT 1 FROM pragma_foreign_key_list('telegram_dm_topic_bindings')
     WHERE "table" = 'sessions' AND on_delete = 'CASCADE'`;
  return firstRow(db, sql) !== undefined;
}

/** An id of Telegram, which comes as a number or as text, and is stored as text. */
export type TelegramId = string | number | bigint;
