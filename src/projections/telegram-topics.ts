import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import type { ProjectionSql } from "./projection-sql.js";
import { deleteRow, insertRow, updateRow, upsertRow } from "./row-changes.js";
import { defineTable, integer, real, text, type RowOf } from "./table.js";

/** Key in `state_meta` that says which shape the topic tables have. */
export const TELEGRAM_SCHEMA_MARKER = "telegram_dm_topic_schema_version";

/** Table `telegram_dm_topic_mode`: whether a Telegram chat keeps one session per topic. */
export const telegramTopicMode = defineTable({
  name: "telegram_dm_topic_mode",
  columns: {
    chat_id: text({ clause: "PRIMARY KEY" }),
    user_id: text({ notNull: true }),
    enabled: integer({ notNull: true, default: 1 }),
    activated_at: real({ notNull: true }),
    updated_at: real({ notNull: true }),
    has_topics_enabled: integer(),
    allows_users_to_create_topics: integer(),
    capability_checked_at: real(),
    intro_message_id: text(),
    pinned_message_id: text(),
  },
  key: ["chat_id"],
});

/** Table `telegram_dm_topic_bindings`: which session a Telegram topic belongs to. */
export const telegramTopicBindings = defineTable({
  name: "telegram_dm_topic_bindings",
  columns: {
    chat_id: text({ notNull: true }),
    thread_id: text({ notNull: true }),
    user_id: text({ notNull: true }),
    session_key: text({ notNull: true }),
    session_id: text({ notNull: true, clause: "REFERENCES sessions(id) ON DELETE CASCADE" }),
    managed_mode: text({ notNull: true, default: "auto" }),
    linked_at: real({ notNull: true }),
    updated_at: real({ notNull: true }),
  },
  key: ["chat_id", "thread_id"],
  constraints: ["PRIMARY KEY (chat_id, thread_id)"],
  indexes: {
    idx_telegram_dm_topic_bindings_session: "UNIQUE {telegram_dm_topic_bindings}(session_id)",
    idx_telegram_dm_topic_bindings_user: "{telegram_dm_topic_bindings}(user_id, chat_id)",
  },
});

/** A row of `telegram_dm_topic_bindings`. */
export type TelegramTopicBindingRow = RowOf<typeof telegramTopicBindings>;

const tables = [telegramTopicMode, telegramTopicBindings] as const;

/** What events mean for the Telegram topic tables; the first of them makes the tables. */
export const telegramTopicsProjection: Projection = {
  name: "telegram_topics",
  version: 1,
  tables,
  onDemand: true,
  on: {
    MetaSet: (sql, { payload }) => {
      if (payload.key !== TELEGRAM_SCHEMA_MARKER) return;
      ensureTables(sql);
      ensureCascade(sql);
    },
    TelegramTopicModeSet: (sql, { payload: { chat_id, fields } }) => {
      ensureTables(sql);
      if (updateRow(sql, telegramTopicMode, { chat_id }, fields) === 0) {
        insertRow(sql, telegramTopicMode, { chat_id, ...fields });
      }
    },
    TelegramTopicBound: (sql, { payload }) => {
      ensureTables(sql);
      upsertRow(sql, telegramTopicBindings, payload);
    },
    TelegramTopicUnbound: (sql, { payload: { chat_id, thread_ids } }) => {
      ensureTables(sql);
      for (const thread_id of thread_ids) deleteRow(sql, telegramTopicBindings, { chat_id, thread_id });
    },
    SessionsDeleted: (sql, { payload }) => {
      if (!exists(sql, BINDINGS_EXIST)) return;
      for (const session_id of payload.session_ids) deleteRow(sql, telegramTopicBindings, { session_id });
    },
    RowCaptured: (sql, event) => {
      for (const handler of capturedByTable) handler(sql, event);
    },
  },
};

const capturedByTable = tables.map((table) => capturedRows(table, ensureTables));

const MODE_EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{telegram_dm_topic_mode}'";
const BINDINGS_EXIST = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{telegram_dm_topic_bindings}'";
const CASCADES = `
  SELECT 1 FROM pragma_foreign_key_list('{telegram_dm_topic_bindings}')
   WHERE "table" = '{sessions}' AND on_delete = 'CASCADE'`;

function ensureTables(sql: ProjectionSql): void {
  if (!exists(sql, MODE_EXISTS)) for (const statement of telegramTopicMode.schema) sql.run(statement);
  if (!exists(sql, BINDINGS_EXIST)) for (const statement of telegramTopicBindings.schema) sql.run(statement);
}

/** Tables of version 1 did not follow the deletion of a session; their rows move into one that does. */
function ensureCascade(sql: ProjectionSql): void {
  if (exists(sql, CASCADES)) return;
  const columns = Object.keys(telegramTopicBindings.columns).join(", ");
  const rows = sql.all(`SELECT ${columns} FROM {telegram_dm_topic_bindings} ORDER BY chat_id, thread_id`);
  sql.run("DROP TABLE {telegram_dm_topic_bindings}");
  for (const statement of telegramTopicBindings.schema) sql.run(statement);
  for (const row of rows) insertRow(sql, telegramTopicBindings, row);
}

function exists(sql: ProjectionSql, query: string): boolean {
  return sql.get(query) !== undefined;
}
