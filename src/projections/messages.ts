import type { KeptMessage } from "../events/index.js";
import { capturedRows } from "./captured-rows.js";
import { indexStatements, messagesIndexes } from "./messages-fts.js";
import type { Projection } from "./projection.js";
import { exact, type ProjectionSql } from "./projection-sql.js";
import { updateRow } from "./row-changes.js";
import { defineTable, integer, real, text } from "./table.js";

/** Table `messages`: the transcripts. Their order is that of the ids, which are never given out twice. */
export const messages = defineTable({
  name: "messages",
  columns: {
    id: integer({ clause: "PRIMARY KEY AUTOINCREMENT" }),
    session_id: text({ notNull: true, clause: "REFERENCES sessions(id)" }),
    role: text({ notNull: true }),
    /** Plain text, or structured content as NUL, `json:` and JSON text. */
    content: text(),
    tool_call_id: text(),
    /** JSON list of call objects. */
    tool_calls: text(),
    tool_name: text(),
    effect_disposition: text(),
    timestamp: real({ notNull: true }),
    token_count: integer(),
    finish_reason: text(),
    reasoning: text(),
    reasoning_content: text(),
    reasoning_details: text(),
    codex_reasoning_items: text(),
    codex_message_items: text(),
    platform_message_id: text(),
    observed: integer({ default: 0 }),
    /** 1 in the live context. */
    active: integer({ notNull: true, default: 1 }),
    /** 1 once summarised away; such a row is still searchable. */
    compacted: integer({ notNull: true, default: 0 }),
    /** What went to the model where that differs from `content`. */
    api_content: text(),
    display_kind: text(),
    display_metadata: text(),
  },
  key: ["id"],
  indexes: {
    idx_messages_session: "{messages}(session_id, timestamp)",
    idx_messages_session_id: "{messages}(session_id, id)",
    idx_messages_platform_msg_id: "{messages}(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL",
    idx_messages_session_active: "{messages}(session_id, active, timestamp)",
    idx_messages_active_null: "{messages}(active) WHERE active IS NULL",
  },
});

/**
 * What events mean for `messages`. REPLACE is never used here: the implicit delete would leave the old text in the
 * full-text indexes.
 */
export const messagesProjection: Projection = {
  name: "messages",
  version: 1,
  tables: [messages],
  derived: messagesIndexes.flatMap(indexStatements),
  on: {
    MessageAppended: (sql, { payload }) => insertMessage(sql, payload.session_id, payload.message),
    TranscriptRewritten: (sql, { payload }) => {
      const { session_id, through_id } = payload;
      const statement = CLEARING[payload.mode];
      if (statement !== null) sql.run(statement, { session_id, through_id });
      keepIdsUsed(sql, through_id);
      for (const message of payload.messages) insertMessage(sql, session_id, message);
    },
    MessagesRewound: (sql, { payload }) => {
      sql.run(
        `UPDATE {messages} SET active = 0
         WHERE session_id = @session_id AND id BETWEEN @from_id AND @through_id AND active = 1`,
        payload,
      );
    },
    MessagesRestored: (sql, { payload }) => {
      sql.run(
        `UPDATE {messages} SET active = 1
         WHERE session_id = @session_id AND id BETWEEN @from_id AND @through_id AND active = 0`,
        payload,
      );
    },
    MessageAnnotated: (sql, { payload: { session_id, message_id, fields } }) => {
      updateRow(sql, messages, { id: message_id, session_id }, fields);
    },
    MessageErased: (sql, { payload }) => {
      const { session_id, from_id, through_id } = payload;
      const range = "session_id = @session_id AND id BETWEEN @from_id AND @through_id";
      sql.run(`DELETE FROM {messages} WHERE ${range}`, { session_id, from_id, through_id });
      keepIdsUsed(sql, through_id);
      for (const message of payload.messages) insertMessage(sql, session_id, message);
    },
    SessionsDeleted: (sql, { payload }) => {
      for (const session_id of payload.session_ids) {
        sql.run("DELETE FROM {messages} WHERE session_id = @session_id", { session_id });
      }
      keepIdsUsed(sql, payload.through_id);
    },
    RowCaptured: capturedRows(messages, (sql, { operation, key }) => {
      const { id } = key;
      if (operation === "delete" && (typeof id === "number" || typeof id === "bigint")) keepIdsUsed(sql, id);
    }),
  },
};

/** What a rewrite does to the rows that are there. */
const CLEARING = {
  all: "DELETE FROM {messages} WHERE session_id = @session_id AND id <= @through_id",
  clear: "DELETE FROM {messages} WHERE session_id = @session_id AND id <= @through_id",
  active: "DELETE FROM {messages} WHERE session_id = @session_id AND id <= @through_id AND active = 1",
  compact: `UPDATE {messages} SET active = 0, compacted = 1
            WHERE session_id = @session_id AND id <= @through_id AND active = 1`,
  seed: null,
} as const;

/**
 * Makes sure that ids up to `id` are not given out again. In a replay the rows that used them may never appear, because
 * the events that carried their text were erased.
 */
function keepIdsUsed(sql: ProjectionSql, id: number | bigint): void {
  if (id <= 0) return;
  const parameters = { id: exact(id) };
  const known = sql.run("UPDATE sqlite_sequence SET seq = max(seq, @id) WHERE name = '{messages}'", parameters);
  if (known === 0) sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('{messages}', @id)", parameters);
}

// The flags are always given: there are files whose columns have no default.
const INSERT = `
  INSERT INTO {messages} (
    id, session_id, role, content, tool_call_id, tool_calls, tool_name, effect_disposition, timestamp, token_count,
    finish_reason, reasoning, reasoning_content, reasoning_details, codex_reasoning_items, codex_message_items,
    platform_message_id, observed, active, compacted, api_content, display_kind, display_metadata
  ) VALUES (
    @id, @session_id, @role, @content, @tool_call_id, @tool_calls, @tool_name, @effect_disposition, @timestamp,
    @token_count, @finish_reason, @reasoning, @reasoning_content, @reasoning_details, @codex_reasoning_items,
    @codex_message_items, @platform_message_id, @observed, @active, @compacted, @api_content, @display_kind,
    @display_metadata
  )`;

function insertMessage(sql: ProjectionSql, session_id: string, message: KeptMessage): void {
  sql.run(INSERT, {
    id: message.id,
    session_id,
    role: message.role,
    content: message.content ?? null,
    tool_call_id: message.tool_call_id ?? null,
    tool_calls: message.tool_calls ?? null,
    tool_name: message.tool_name ?? null,
    effect_disposition: message.effect_disposition ?? null,
    timestamp: message.timestamp,
    token_count: exact(message.token_count ?? null),
    finish_reason: message.finish_reason ?? null,
    reasoning: message.reasoning ?? null,
    reasoning_content: message.reasoning_content ?? null,
    reasoning_details: message.reasoning_details ?? null,
    codex_reasoning_items: message.codex_reasoning_items ?? null,
    codex_message_items: message.codex_message_items ?? null,
    platform_message_id: message.platform_message_id ?? null,
    observed: message.observed === undefined ? 0 : exact(message.observed),
    active: exact(message.active ?? 1),
    compacted: exact(message.compacted ?? 0),
    api_content: message.api_content ?? null,
    display_kind: message.display_kind ?? null,
    display_metadata: message.display_metadata ?? null,
  });
}
