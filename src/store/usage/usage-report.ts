import type { UsageCounters } from "../../events/index.js";
import { counterArgument, floatArgument, keyArgument, textArgument } from "../values/arguments.js";
import { isTruthy } from "../values/truthiness.js";

/** What model calls used, under the documented names; what is left out is 0 or unknown. Costs are USD. */
export interface UsageOptions {
  readonly input_tokens?: number | bigint | null | undefined;
  readonly output_tokens?: number | bigint | null | undefined;
  readonly cache_read_tokens?: number | bigint | null | undefined;
  readonly cache_write_tokens?: number | bigint | null | undefined;
  readonly reasoning_tokens?: number | bigint | null | undefined;
  readonly api_call_count?: number | bigint | null | undefined;
  readonly estimated_cost_usd?: number | null | undefined;
  readonly actual_cost_usd?: number | null | undefined;
  readonly cost_status?: string | null | undefined;
  readonly cost_source?: string | null | undefined;
  readonly pricing_version?: string | null | undefined;
  /** The model that answered. */
  readonly model?: string | null | undefined;
  readonly billing_provider?: string | null | undefined;
  readonly billing_base_url?: string | null | undefined;
  readonly billing_mode?: string | null | undefined;
  /** The counters are totals of the session and replace its own. Default false: they are added. */
  readonly absolute?: boolean | undefined;
}

/** Usage that is ready to be booked: every value is one that can be stored. */
export interface UsageReport {
  readonly session_id: string;
  readonly mode: "delta" | "absolute";
  readonly counters: UsageCounters;
  /** USD. */
  readonly estimated_cost_usd: number | null;
  /** USD. */
  readonly actual_cost_usd: number | null;
  readonly cost_status: string | null;
  readonly cost_source: string | null;
  readonly pricing_version: string | null;
  readonly model: string | null;
  readonly billing_provider: string | null;
  readonly billing_base_url: string | null;
  readonly billing_mode: string | null;
}

/**
 * Usage as it is booked, checked where it is given and not when a queue comes to it.
 *
 * @throws NotANumberError | IntegerRangeError | LoneSurrogateError | UnbindableValueError
 */
export function usageReport(sessionId: string, usage: UsageOptions): UsageReport {
  return {
    session_id: keyArgument(sessionId, "session_id"),
    mode: isTruthy(usage.absolute) ? "absolute" : "delta",
    counters: usageCounters(usage),
    estimated_cost_usd: costArgument(usage.estimated_cost_usd, "estimated_cost_usd"),
    actual_cost_usd: costArgument(usage.actual_cost_usd, "actual_cost_usd"),
    cost_status: textArgument(usage.cost_status, "cost_status"),
    cost_source: textArgument(usage.cost_source, "cost_source"),
    pricing_version: textArgument(usage.pricing_version, "pricing_version"),
    model: textArgument(usage.model, "model"),
    billing_provider: textArgument(usage.billing_provider, "billing_provider"),
    billing_base_url: textArgument(usage.billing_base_url, "billing_base_url"),
    billing_mode: textArgument(usage.billing_mode, "billing_mode"),
  };
}

/** The six counters of a usage; what is not given is 0. */
export function usageCounters(usage: UsageOptions): UsageCounters {
  return {
    input_tokens: counterArgument(usage.input_tokens, "input_tokens"),
    output_tokens: counterArgument(usage.output_tokens, "output_tokens"),
    cache_read_tokens: counterArgument(usage.cache_read_tokens, "cache_read_tokens"),
    cache_write_tokens: counterArgument(usage.cache_write_tokens, "cache_write_tokens"),
    reasoning_tokens: counterArgument(usage.reasoning_tokens, "reasoning_tokens"),
    api_call_count: counterArgument(usage.api_call_count, "api_call_count"),
  };
}

/** USD, or null where nothing is known; NaN is stored as NULL. */
export function costArgument(value: unknown, name: string): number | null {
  if (value === null || value === undefined) return null;
  const cost = floatArgument(value, name);
  return Number.isNaN(cost) ? null : cost;
}
