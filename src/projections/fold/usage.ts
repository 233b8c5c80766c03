import type { EventPayloads } from "../../events/index.js";
import type { SqlValue } from "../projection-sql.js";
import { foldTables, newRow, setColumns } from "./columns.js";
import { innerMap, type FoldHandlers, type LedgerDraft, type RowIn } from "./state.js";
import { compositeKey, grown, stored } from "./values.js";

type Usage = EventPayloads["UsageRecorded"];
type Counted = Record<keyof Usage["counters"], SqlValue>;

/** What a usage report means for the session row and for the per-model row. */
export const usageHandlers = {
  UsageRecorded: (state, usage) => {
    if (usage.mode !== "auxiliary") bookOnSession(state, usage);
    if (usage.model_row !== null) bookOnModel(state, usage, usage.model_row);
  },
} satisfies FoldHandlers;

/** The map key of a per-model row inside its session. */
export function modelKey(
  row: Pick<RowIn<"session_model_usage">, "model" | "billing_provider" | "billing_base_url" | "billing_mode" | "task">,
): string {
  return compositeKey([row.model, row.billing_provider, row.billing_base_url, row.billing_mode, row.task]);
}

function bookOnSession(state: LedgerDraft, usage: Usage): void {
  const row = state.sessions.get(usage.session_id);
  if (row === undefined) return;
  const { counters, estimated_cost_usd, actual_cost_usd, cost_status, cost_source, pricing_version } = usage;
  if (usage.mode === "delta") {
    addCounters(row, counters);
    row.estimated_cost_usd = grown("real", row.estimated_cost_usd ?? 0, estimated_cost_usd ?? 0);
    if (actual_cost_usd !== null) row.actual_cost_usd = grown("real", row.actual_cost_usd ?? 0, actual_cost_usd);
  } else {
    setColumns(foldTables.sessions, row, counters);
    row.estimated_cost_usd = stored("real", estimated_cost_usd ?? 0);
    if (actual_cost_usd !== null) row.actual_cost_usd = stored("real", actual_cost_usd);
  }
  if (cost_status !== null) row.cost_status = cost_status;
  if (cost_source !== null) row.cost_source = cost_source;
  if (pricing_version !== null) row.pricing_version = pricing_version;
  setColumns(foldTables.sessions, row, usage.route);
}

function bookOnModel(state: LedgerDraft, usage: Usage, route: NonNullable<Usage["model_row"]>): void {
  const { session_id, counters, cost_status, cost_source, recorded_at } = usage;
  // What is added is the row as the table would hold it: a whole REAL has become an integer by then.
  const booked = newRow(foldTables.session_model_usage, {
    session_id,
    ...route,
    ...counters,
    estimated_cost_usd: usage.estimated_cost_usd ?? 0,
    actual_cost_usd: usage.actual_cost_usd ?? 0,
    cost_status,
    cost_source,
    first_seen: recorded_at,
    last_seen: recorded_at,
  });
  const rows = innerMap(state.session_model_usage, session_id);
  const key = modelKey(booked);
  const row = rows.get(key);
  if (row === undefined) {
    rows.set(key, booked);
    return;
  }
  addCounters(row, booked);
  row.estimated_cost_usd = grown("real", row.estimated_cost_usd, booked.estimated_cost_usd);
  row.actual_cost_usd = grown("real", row.actual_cost_usd, booked.actual_cost_usd);
  if (cost_status !== null) row.cost_status = cost_status;
  if (cost_source !== null) row.cost_source = cost_source;
  row.last_seen = booked.last_seen;
}

function addCounters(row: Counted, counters: Readonly<Counted>): void {
  row.input_tokens = grown("integer", row.input_tokens, counters.input_tokens);
  row.output_tokens = grown("integer", row.output_tokens, counters.output_tokens);
  row.cache_read_tokens = grown("integer", row.cache_read_tokens, counters.cache_read_tokens);
  row.cache_write_tokens = grown("integer", row.cache_write_tokens, counters.cache_write_tokens);
  row.reasoning_tokens = grown("integer", row.reasoning_tokens, counters.reasoning_tokens);
  row.api_call_count = grown("integer", row.api_call_count, counters.api_call_count);
}
