import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../rows.js";

/** Sums of usage. Token counts are tokens, costs USD. */
export interface UsageSums {
  /** Sessions with usage in the group. */
  readonly sessions: number;
  readonly api_call_count: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly estimated_cost_usd: number;
  readonly actual_cost_usd: number;
}

/** Usage of a group: of one model at one provider, of one task, of one source, or of one day (UTC, `YYYY-MM-DD`). */
export interface UsageGroup extends UsageSums {
  readonly model?: string;
  readonly billing_provider?: string;
  readonly task?: string;
  readonly source?: string;
  readonly day?: string;
}

/** How to group usage, and which. */
export interface UsageStatisticsOptions {
  /** What makes a group; default `model`. */
  readonly by?: "model" | "task" | "source" | "day" | undefined;
  /** Only this task; `''` is the main loop, other names are auxiliary calls. Default: all. */
  readonly task?: string | undefined;
  /** Only sessions of this source. */
  readonly source?: string | undefined;
  /** Only usage last seen at this time or later (epoch seconds). */
  readonly since?: number | undefined;
  /** Only usage last seen before this time (epoch seconds). */
  readonly until?: number | undefined;
}

const SUMS = `count(DISTINCT u.session_id) AS sessions,
  COALESCE(sum(u.api_call_count), 0) AS api_call_count, COALESCE(sum(u.input_tokens), 0) AS input_tokens,
  COALESCE(sum(u.output_tokens), 0) AS output_tokens, COALESCE(sum(u.cache_read_tokens), 0) AS cache_read_tokens,
  COALESCE(sum(u.cache_write_tokens), 0) AS cache_write_tokens,
  COALESCE(sum(u.reasoning_tokens), 0) AS reasoning_tokens,
  COALESCE(sum(u.estimated_cost_usd), 0.0) AS estimated_cost_usd,
  COALESCE(sum(u.actual_cost_usd), 0.0) AS actual_cost_usd`;

const FROM = `FROM session_model_usage u JOIN sessions s ON s.id = u.session_id
  WHERE (@task IS NULL OR u.task = @task) AND (@source IS NULL OR s.source = @source)
    AND (@since IS NULL OR u.last_seen >= @since) AND (@until IS NULL OR u.last_seen < @until)`;

/** The sums have the names of the columns, so that an order by them must stand outside the query that makes them. */
const dearestFirst = (groups: string): string =>
  `SELECT * FROM (${groups}) ORDER BY max(estimated_cost_usd, actual_cost_usd) DESC, input_tokens + output_tokens DESC`;

const GROUPED = {
  model: `${dearestFirst(`SELECT u.model, u.billing_provider, ${SUMS} ${FROM} GROUP BY 1, 2`)}, 1, 2`,
  task: `${dearestFirst(`SELECT u.task, ${SUMS} ${FROM} GROUP BY 1`)}, 1`,
  source: `${dearestFirst(`SELECT s.source, ${SUMS} ${FROM} GROUP BY 1`)}, 1`,
  day: `SELECT date(u.last_seen, 'unixepoch') AS day, ${SUMS} ${FROM} GROUP BY 1 ORDER BY 1`,
} as const;

/**
 * Usage from the per-model rows, grouped; the dearest group first, days in order. Usage that was recorded as absolute
 * totals of a session has no per-model row and is not in it.
 */
export function usageByModel(db: Database, options: UsageStatisticsOptions = {}): UsageGroup[] {
  return allRows<UsageGroup>(db, GROUPED[options.by ?? "model"], usageParameters(options));
}

/** Usage of all models and tasks together. */
export function usageTotals(db: Database, options: Omit<UsageStatisticsOptions, "by"> = {}): UsageSums {
  const row = firstRow<UsageSums>(db, `SELECT ${SUMS} ${FROM}`, usageParameters(options));
  if (row === undefined) throw new TypeError("an aggregate without groups always has a row");
  return row;
}

function usageParameters(options: UsageStatisticsOptions): Record<string, string | number | null> {
  return {
    task: options.task ?? null,
    source: options.source ?? null,
    since: options.since ?? null,
    until: options.until ?? null,
  };
}

/** A session and what it cost. */
export interface SessionCost {
  readonly id: string;
  readonly title: string | null;
  readonly source: string;
  readonly model: string | null;
  readonly started_at: number;
  readonly api_call_count: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly estimated_cost_usd: number | null;
  readonly actual_cost_usd: number | null;
  /** USD: the actual cost where one was reported, else the estimate. */
  readonly cost_usd: number;
}

/** The sessions that cost most, by actual cost where one was reported, else by estimate; those without a cost are left out. */
export function mostExpensiveSessions(
  db: Database,
  options: { readonly limit?: number | undefined; readonly source?: string | undefined } = {},
): SessionCost[] {
  return allRows<SessionCost>(
    db,
    `SELECT id, title, source, model, started_at, api_call_count, input_tokens, output_tokens, estimated_cost_usd,
         actual_cost_usd, COALESCE(actual_cost_usd, estimated_cost_usd) AS cost_usd
       FROM sessions
      WHERE COALESCE(actual_cost_usd, estimated_cost_usd, 0) > 0 AND (@source IS NULL OR source = @source)
      ORDER BY cost_usd DESC, input_tokens + output_tokens DESC, id LIMIT @limit`,
    { limit: options.limit ?? 10, source: options.source ?? null },
  );
}
