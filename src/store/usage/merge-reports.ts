import type { UsageCounters } from "../../events/index.js";
import type { UsageReport } from "./usage-report.js";

/** Reports may be booked as one when these are the same. */
const SAME = [
  "session_id",
  "model",
  "cost_status",
  "cost_source",
  "pricing_version",
  "billing_provider",
  "billing_base_url",
  "billing_mode",
] as const;

/**
 * Two reports, one after the other, as one with their sums: for the same session, model, route and kind of cost. Null
 * when they must stay two: totals, a difference, or counters that a number does not hold exactly.
 */
export function mergedReports(first: UsageReport, second: UsageReport): UsageReport | null {
  if (first.mode === "absolute" || second.mode === "absolute") return null;
  if (SAME.some((column) => first[column] !== second[column])) return null;
  const counters = summed(first.counters, second.counters);
  if (counters === null) return null;
  return {
    ...first,
    counters,
    estimated_cost_usd: costSum(first.estimated_cost_usd, second.estimated_cost_usd),
    actual_cost_usd: costSum(first.actual_cost_usd, second.actual_cost_usd),
  };
}

function summed(first: UsageCounters, second: UsageCounters): UsageCounters | null {
  const sums = { ...first };
  for (const name of COUNTERS) {
    const [a, b] = [first[name], second[name]];
    if (typeof a !== "number" || typeof b !== "number" || !Number.isSafeInteger(Math.trunc(a + b))) return null;
    sums[name] = a + b;
  }
  return sums;
}

const COUNTERS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "api_call_count",
] as const;

/** An unknown cost stays unknown; beside a known one it is none. */
function costSum(first: number | null, second: number | null): number | null {
  return first === null && second === null ? null : (first ?? 0) + (second ?? 0);
}
