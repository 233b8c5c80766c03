import type { EventPayloads } from "../events/index.js";
import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import { exact, type ProjectionSql } from "./projection-sql.js";
import { insertRow, updateRow } from "./row-changes.js";
import { defineTable, integer, real, text, type RowOf } from "./table.js";

/** Table `sessions`. */
export const sessions = defineTable({
  name: "sessions",
  columns: {
    id: text({ clause: "PRIMARY KEY" }),
    /** Where the session came from: `cli`, `cron`, a messaging platform …; an open set. */
    source: text({ notNull: true }),
    user_id: text(),
    /** Routing key of the conversation, the same over its sessions. */
    session_key: text(),
    chat_id: text(),
    chat_type: text(),
    thread_id: text(),
    display_name: text(),
    origin_json: text(),
    expiry_finalized: integer({ default: 0 }),
    model: text(),
    /** JSON object. */
    model_config: text(),
    system_prompt: text(),
    /** The session this one continues, branched from or works for. */
    parent_session_id: text({ clause: "REFERENCES sessions(id)" }),
    started_at: real({ notNull: true }),
    /** NULL while the session is live. */
    ended_at: real(),
    end_reason: text(),
    message_count: integer({ default: 0 }),
    tool_call_count: integer({ default: 0 }),
    input_tokens: integer({ default: 0 }),
    output_tokens: integer({ default: 0 }),
    cache_read_tokens: integer({ default: 0 }),
    cache_write_tokens: integer({ default: 0 }),
    reasoning_tokens: integer({ default: 0 }),
    cwd: text(),
    git_branch: text(),
    git_repo_root: text(),
    billing_provider: text(),
    billing_base_url: text(),
    billing_mode: text(),
    estimated_cost_usd: real(),
    /** NULL until a real cost was reported. */
    actual_cost_usd: real(),
    cost_status: text(),
    cost_source: text(),
    pricing_version: text(),
    title: text(),
    last_activity_at: real(),
    last_activity_description: text(),
    last_activity_provenance: text(),
    api_call_count: integer({ default: 0 }),
    handoff_state: text(),
    handoff_platform: text(),
    handoff_error: text(),
    compression_failure_cooldown_until: real(),
    compression_failure_error: text(),
    compression_fallback_streak: integer({ notNull: true, default: 0 }),
    compression_ineffective_count: integer({ notNull: true, default: 0 }),
    /** NULL for the default profile. */
    profile_name: text(),
    rewind_count: integer({ notNull: true, default: 0 }),
    archived: integer({ notNull: true, default: 0 }),
    pinned: integer({ notNull: true, default: 0 }),
  },
  key: ["id"],
  indexes: {
    idx_sessions_source: "{sessions}(source)",
    idx_sessions_source_id: "{sessions}(source, id)",
    idx_sessions_parent: "{sessions}(parent_session_id)",
    idx_sessions_started: "{sessions}(started_at DESC)",
    idx_sessions_session_key: "{sessions}(session_key, started_at DESC)",
    idx_sessions_gateway_peer: "{sessions}(source, user_id, chat_id, chat_type, thread_id, started_at DESC)",
    idx_sessions_handoff_state: "{sessions}(handoff_state, started_at)",
    idx_sessions_title_unique: "UNIQUE {sessions}(title) WHERE title IS NOT NULL",
  },
  ownIndexes: {
    // All that lists look at to find and order a page: in the table most of it lies behind the system prompt. Without
    // message_count, which every message changes. Plain columns only: other programs write here with older SQLite.
    ledger_sessions_listing:
      "{sessions}(started_at DESC, id DESC, parent_session_id, source, archived, pinned, end_reason, ended_at, " +
      "last_activity_at, session_key, cwd, title, model_config)",
    ledger_sessions_branched: "{sessions}(id, ended_at) WHERE end_reason = 'branched'",
  },
});

/** A row of `sessions`. SQLite would let the key be NULL; nothing writes such a row. */
export type SessionRow = Omit<RowOf<typeof sessions>, "id"> & { id: string };

/** What events mean for `sessions`. Counters are added as SQL adds: a counter that is NULL stays NULL. */
export const sessionsProjection: Projection = {
  name: "sessions",
  version: 1,
  tables: [sessions],
  on: {
    SessionCreated: (sql, { payload: { session_id: id, created, fields } }) => {
      if (created) insertRow(sql, sessions, { id, ...fields });
      else updateRow(sql, sessions, { id }, fields);
    },
    SessionImported: (sql, { payload: { session_id: id, fields } }) => {
      insertRow(sql, sessions, { id, ...fields });
    },
    SessionEnded: (sql, { payload: { session_id: id, ended_at, end_reason } }) => {
      updateRow(sql, sessions, { id }, { ended_at, end_reason });
    },
    SessionReopened: (sql, { payload: { session_id: id } }) => {
      updateRow(sql, sessions, { id }, { ended_at: null, end_reason: null });
    },
    TitleSet: (sql, { payload: { session_id: id, title } }) => {
      updateRow(sql, sessions, { id }, { title });
    },
    SessionUpdated: (sql, { payload: { session_id: id, fields } }) => {
      updateRow(sql, sessions, { id }, fields);
    },
    ActivityRecorded: (sql, { payload: { session_id: id, at, description, provenance } }) => {
      const labels = { last_activity_description: description, last_activity_provenance: provenance };
      updateRow(sql, sessions, { id }, at === null ? labels : { last_activity_at: at, ...labels });
    },
    SessionFlagsSet: (sql, { payload: { session_id: id, flag, value } }) => {
      updateRow(sql, sessions, { id }, { [flag]: value ? 1 : 0 });
    },
    GatewayPeerRecorded: (sql, { payload: { session_id: id, fields } }) => {
      updateRow(sql, sessions, { id }, fields);
    },
    HandoffChanged: (sql, { payload: { session_id: id, state, fields } }) => {
      updateRow(sql, sessions, { id }, { handoff_state: state, ...fields });
    },
    CompressionStateSet: (sql, { payload: { session_id: id, fields } }) => {
      updateRow(sql, sessions, { id }, fields);
    },
    MessageAppended: (sql, { payload: { session_id: id, calls } }) => {
      sql.run(
        `UPDATE {sessions} SET message_count = message_count + 1, tool_call_count = tool_call_count + @calls
         WHERE id = @id`,
        { id, calls: exact(calls) },
      );
    },
    TranscriptRewritten: (sql, { payload: { session_id: id, message_count, tool_call_count } }) => {
      updateRow(sql, sessions, { id }, { message_count, tool_call_count });
    },
    MessageErased: (sql, { payload: { session_id: id, message_count, tool_call_count } }) => {
      updateRow(sql, sessions, { id }, { message_count, tool_call_count });
    },
    MessagesRewound: (sql, { payload: { session_id: id } }) => {
      sql.run("UPDATE {sessions} SET rewind_count = rewind_count + 1 WHERE id = @id", { id });
    },
    UsageRecorded: (sql, { payload }) => recordUsage(sql, payload),
    SessionsDeleted: (sql, { payload }) => {
      // Every link goes first, so that no delete meets a child, in whatever order the sessions are listed.
      for (const id of [...payload.detached_ids, ...payload.session_ids]) {
        updateRow(sql, sessions, { id }, { parent_session_id: null });
      }
      for (const id of payload.session_ids) sql.run("DELETE FROM {sessions} WHERE id = @id", { id });
    },
    RowCaptured: capturedRows(sessions),
  },
};

function recordUsage(sql: ProjectionSql, payload: EventPayloads["UsageRecorded"]): void {
  if (payload.mode === "auxiliary") return;
  const { session_id: id, counters } = payload;
  sql.run(payload.mode === "delta" ? ADD_USAGE : SET_USAGE, {
    id,
    api_call_count: exact(counters.api_call_count),
    input_tokens: exact(counters.input_tokens),
    output_tokens: exact(counters.output_tokens),
    cache_read_tokens: exact(counters.cache_read_tokens),
    cache_write_tokens: exact(counters.cache_write_tokens),
    reasoning_tokens: exact(counters.reasoning_tokens),
    estimated_cost_usd: payload.estimated_cost_usd ?? 0,
    actual_cost_usd: payload.actual_cost_usd,
    cost_status: payload.cost_status,
    cost_source: payload.cost_source,
    pricing_version: payload.pricing_version,
  });
  updateRow(sql, sessions, { id }, payload.route);
}

const ADD_USAGE = `
  UPDATE {sessions} SET
    api_call_count = api_call_count + @api_call_count,
    input_tokens = input_tokens + @input_tokens,
    output_tokens = output_tokens + @output_tokens,
    cache_read_tokens = cache_read_tokens + @cache_read_tokens,
    cache_write_tokens = cache_write_tokens + @cache_write_tokens,
    reasoning_tokens = reasoning_tokens + @reasoning_tokens,
    estimated_cost_usd = COALESCE(estimated_cost_usd, 0) + @estimated_cost_usd,
    actual_cost_usd = CASE WHEN @actual_cost_usd IS NULL THEN actual_cost_usd
                      ELSE COALESCE(actual_cost_usd, 0) + @actual_cost_usd END,
    cost_status = COALESCE(@cost_status, cost_status),
    cost_source = COALESCE(@cost_source, cost_source),
    pricing_version = COALESCE(@pricing_version, pricing_version)
  WHERE id = @id`;

const SET_USAGE = `
  UPDATE {sessions} SET
    api_call_count = @api_call_count,
    input_tokens = @input_tokens,
    output_tokens = @output_tokens,
    cache_read_tokens = @cache_read_tokens,
    cache_write_tokens = @cache_write_tokens,
    reasoning_tokens = @reasoning_tokens,
    estimated_cost_usd = @estimated_cost_usd,
    actual_cost_usd = COALESCE(@actual_cost_usd, actual_cost_usd),
    cost_status = COALESCE(@cost_status, cost_status),
    cost_source = COALESCE(@cost_source, cost_source),
    pricing_version = COALESCE(@pricing_version, pricing_version)
  WHERE id = @id`;
