import type { EventPayloads } from "../../events/index.js";
import { foldTables, newRow, setColumns } from "./columns.js";
import { innerMap, type FoldHandlers, type LedgerDraft, type RowIn } from "./state.js";
import { add, compositeKey } from "./values.js";

type Usage = EventPayloads["UsageRecorded"];
type Amounts = Pick<RowIn<"session_model_usage">, keyof Usage["counters"]>;

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
  const adds = usage.mode === "delta";
  setColumns(foldTables.sessions, row, {
    ...(adds ? sums(row, usage.counters) : usage.counters),
    estimated_cost_usd: add(adds ? (row.estimated_cost_usd ?? 0) : 0, usage.estimated_cost_usd ?? 0),
    actual_cost_usd:
      usage.actual_cost_usd === null ? undefined : add(adds ? (row.actual_cost_usd ?? 0) : 0, usage.actual_cost_usd),
    cost_status: usage.cost_status ?? undefined,
    cost_source: usage.cost_source ?? undefined,
    pricing_version: usage.pricing_version ?? undefined,
    ...usage.route,
  });
}

function bookOnModel(state: LedgerDraft, usage: Usage, route: NonNullable<Usage["model_row"]>): void {
  const { session_id, counters, cost_status, cost_source, recorded_at } = usage;
  const estimated_cost_usd = usage.estimated_cost_usd ?? 0;
  const actual_cost_usd = usage.actual_cost_usd ?? 0;
  const rows = innerMap(state.session_model_usage, session_id);
  const key = modelKey(route);
  const row = rows.get(key);
  if (row === undefined) {
    const amounts = { ...counters, estimated_cost_usd, actual_cost_usd };
    const seen = { first_seen: recorded_at, last_seen: recorded_at };
    const fields = { session_id, ...route, ...amounts, cost_status, cost_source, ...seen };
    rows.set(key, newRow(foldTables.session_model_usage, fields));
    return;
  }
  setColumns(foldTables.session_model_usage, row, {
    ...sums(row, counters),
    estimated_cost_usd: add(row.estimated_cost_usd, estimated_cost_usd),
    actual_cost_usd: add(row.actual_cost_usd, actual_cost_usd),
    cost_status: cost_status ?? undefined,
    cost_source: cost_source ?? undefined,
    last_seen: recorded_at,
  });
}

function sums(row: Amounts, counters: Usage["counters"]): Amounts {
  return {
    input_tokens: add(row.input_tokens, counters.input_tokens),
    output_tokens: add(row.output_tokens, counters.output_tokens),
    cache_read_tokens: add(row.cache_read_tokens, counters.cache_read_tokens),
    cache_write_tokens: add(row.cache_write_tokens, counters.cache_write_tokens),
    reasoning_tokens: add(row.reasoning_tokens, counters.reasoning_tokens),
    api_call_count: add(row.api_call_count, counters.api_call_count),
  };
}
