import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import { exact } from "./projection-sql.js";
import { defineTable, integer, real, text } from "./table.js";

/** Table `session_model_usage`: tokens and cost of a session by model, route and task. */
export const sessionModelUsage = defineTable({
  name: "session_model_usage",
  columns: {
    session_id: text({ notNull: true, clause: "REFERENCES sessions(id) ON DELETE CASCADE" }),
    /** `unknown` where no model was given. */
    model: text({ notNull: true }),
    billing_provider: text({ notNull: true, default: "" }),
    billing_base_url: text({ notNull: true, default: "" }),
    billing_mode: text({ notNull: true, default: "" }),
    /** Empty for the main loop, else the auxiliary task. */
    task: text({ notNull: true, default: "" }),
    api_call_count: integer({ notNull: true, default: 0 }),
    input_tokens: integer({ notNull: true, default: 0 }),
    output_tokens: integer({ notNull: true, default: 0 }),
    cache_read_tokens: integer({ notNull: true, default: 0 }),
    cache_write_tokens: integer({ notNull: true, default: 0 }),
    reasoning_tokens: integer({ notNull: true, default: 0 }),
    estimated_cost_usd: real({ notNull: true, default: 0 }),
    actual_cost_usd: real({ notNull: true, default: 0 }),
    cost_status: text(),
    cost_source: text(),
    first_seen: real(),
    last_seen: real(),
  },
  key: ["session_id", "model", "billing_provider", "billing_base_url", "billing_mode", "task"],
  constraints: ["PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task)"],
  indexes: {
    idx_session_model_usage_session: "{session_model_usage}(session_id)",
    idx_session_model_usage_model: "{session_model_usage}(model)",
  },
});

/** What events mean for `session_model_usage`. */
export const sessionModelUsageProjection: Projection = {
  name: "session_model_usage",
  version: 1,
  tables: [sessionModelUsage],
  on: {
    UsageRecorded: (sql, { payload }) => {
      const { model_row, counters } = payload;
      if (model_row === null) return;
      sql.run(BOOK, {
        session_id: payload.session_id,
        ...model_row,
        api_call_count: exact(counters.api_call_count),
        input_tokens: exact(counters.input_tokens),
        output_tokens: exact(counters.output_tokens),
        cache_read_tokens: exact(counters.cache_read_tokens),
        cache_write_tokens: exact(counters.cache_write_tokens),
        reasoning_tokens: exact(counters.reasoning_tokens),
        estimated_cost_usd: payload.estimated_cost_usd ?? 0,
        actual_cost_usd: payload.actual_cost_usd ?? 0,
        cost_status: payload.cost_status,
        cost_source: payload.cost_source,
        recorded_at: payload.recorded_at,
      });
    },
    // Foreign keys are off while a log is replayed, so nothing cascades then.
    SessionsDeleted: (sql, { payload }) => {
      for (const session_id of payload.session_ids) {
        sql.run("DELETE FROM {session_model_usage} WHERE session_id = @session_id", { session_id });
      }
    },
    RowCaptured: capturedRows(sessionModelUsage),
  },
};

const BOOK = `
  INSERT INTO {session_model_usage} (
    session_id, model, billing_provider, billing_base_url, billing_mode, task,
    api_call_count, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
    estimated_cost_usd, actual_cost_usd, cost_status, cost_source, first_seen, last_seen
  ) VALUES (
    @session_id, @model, @billing_provider, @billing_base_url, @billing_mode, @task,
    @api_call_count, @input_tokens, @output_tokens, @cache_read_tokens, @cache_write_tokens, @reasoning_tokens,
    @estimated_cost_usd, @actual_cost_usd, @cost_status, @cost_source, @recorded_at, @recorded_at
  )
  ON CONFLICT (session_id, model, billing_provider, billing_base_url, billing_mode, task) DO UPDATE SET
    api_call_count = api_call_count + excluded.api_call_count,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    estimated_cost_usd = estimated_cost_usd + excluded.estimated_cost_usd,
    actual_cost_usd = actual_cost_usd + excluded.actual_cost_usd,
    cost_status = COALESCE(excluded.cost_status, cost_status),
    cost_source = COALESCE(excluded.cost_source, cost_source),
    last_seen = excluded.last_seen`;
