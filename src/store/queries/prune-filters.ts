import { LedgerError } from "../../events/index.js";
import { escapeLike } from "../values/text.js";

/** A filter has a name that there is not: taken for none, it would let more sessions be deleted than were meant. */
export class UnknownFilterError extends LedgerError {
  readonly filter: string;

  constructor(filter: string) {
    super("type", "UNKNOWN_FILTER", `There is no filter '${filter}'; nothing was changed. Known: ${NAMES.join(", ")}.`);
    this.filter = filter;
  }
}

/** The value of a filter is of the wrong type, or no number. */
export class FilterValueError extends LedgerError {
  readonly filter: string;

  constructor(filter: string, expected: "a number" | "text" | "a boolean") {
    super("type", "FILTER_VALUE", `Filter '${filter}' must be ${expected}, or null for none; nothing was changed.`);
    this.filter = filter;
  }
}

/**
 * Which ended sessions are meant. All filters that are given must hold; null, and for texts `''`, is none. The activity
 * of a session is the time of its newest message, else its start. Texts with `_like` are looked for inside the column,
 * whatever the case of ASCII letters; no text has wildcards.
 */
export interface PruneFilters {
  /** Days since the last activity; does not count when one of the two next filters is given. */
  readonly older_than_days?: number | null | undefined;
  /** Epoch seconds, as the next three: active before this time. */
  readonly last_active_before?: number | null | undefined;
  readonly started_before?: number | null | undefined;
  /** Active at this time or later. */
  readonly last_active_after?: number | null | undefined;
  readonly started_after?: number | null | undefined;
  readonly source?: string | null | undefined;
  readonly end_reason?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  readonly chat_id?: string | null | undefined;
  readonly chat_type?: string | null | undefined;
  /** Who was billed, whatever the case. */
  readonly provider?: string | null | undefined;
  readonly title_like?: string | null | undefined;
  readonly model_like?: string | null | undefined;
  readonly branch_like?: string | null | undefined;
  /** A directory: it and all below it. */
  readonly cwd_prefix?: string | null | undefined;
  readonly min_messages?: number | null | undefined;
  readonly max_messages?: number | null | undefined;
  /** Input and output tokens together. */
  readonly min_tokens?: number | null | undefined;
  readonly max_tokens?: number | null | undefined;
  /** USD: the actual cost, else the estimated one. */
  readonly min_cost?: number | null | undefined;
  readonly max_cost?: number | null | undefined;
  readonly min_tool_calls?: number | null | undefined;
  readonly max_tool_calls?: number | null | undefined;
  /** Only archived ones, only others, or (null) both. */
  readonly archived?: boolean | null | undefined;
}

const NUMBERS = [
  "last_active_before",
  "last_active_after",
  "started_before",
  "started_after",
  "min_messages",
  "max_messages",
  "min_tokens",
  "max_tokens",
  "min_cost",
  "max_cost",
  "min_tool_calls",
  "max_tool_calls",
] as const;
const EXACT = ["source", "end_reason", "user_id", "chat_id", "chat_type"] as const;
const INSIDE = ["title_like", "model_like", "branch_like"] as const;
const NAMES = [...EXACT, "provider", ...INSIDE, "cwd_prefix", "older_than_days", ...NUMBERS, "archived"] as const;

/** Parameters of a query with {@link PRUNE_CONDITIONS_SQL}. */
export type PruneParameters = Readonly<Record<string, string | number | null>>;

/**
 * The parameters for {@link PRUNE_CONDITIONS_SQL}; `now` is the clock in epoch seconds.
 *
 * @throws UnknownFilterError, FilterValueError
 */
export function pruneParameters(filters: PruneFilters, now: number): PruneParameters {
  const unknown = Object.keys(filters).find((name) => !NAMES.some((known) => known === name));
  if (unknown !== undefined) throw new UnknownFilterError(unknown);
  const days = number(filters, "older_than_days");
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, number(filters, name)]));
  const aged = days !== null && numbers["last_active_before"] === null && numbers["started_before"] === null;
  const provider = text(filters, "provider")?.toLowerCase() ?? null;
  return {
    ...numbers,
    ...(aged ? { last_active_before: now - days * 86_400 } : {}),
    ...Object.fromEntries(EXACT.map((name) => [name, text(filters, name)])),
    ...Object.fromEntries(INSIDE.map((name) => [name, inside(text(filters, name))])),
    provider,
    ...directory(text(filters, "cwd_prefix")),
    archived: flag(filters, "archived"),
  };
}

function inside(part: string | null): string | null {
  return part === null ? null : `%${escapeLike(part.toLowerCase())}%`;
}

function directory(path: string | null): PruneParameters {
  if (path === null) return { cwd: null, cwd_below: null, cwd_below_backslash: null };
  const cwd = path.replace(/[/\\]+$/, "") || path;
  const below = escapeLike(cwd);
  return { cwd, cwd_below: `${below}/%`, cwd_below_backslash: `${below}\\\\%` };
}

function number(filters: PruneFilters, name: (typeof NUMBERS)[number] | "older_than_days"): number | null {
  const value: unknown = filters[name] ?? null;
  // NaN is bound as NULL, which would switch the filter off.
  if (value !== null && (typeof value !== "number" || Number.isNaN(value)))
    throw new FilterValueError(name, "a number");
  return value;
}

function text(
  filters: PruneFilters,
  name: (typeof EXACT)[number] | (typeof INSIDE)[number] | "provider" | "cwd_prefix",
): string | null {
  const value: unknown = filters[name] ?? null;
  if (value !== null && typeof value !== "string") throw new FilterValueError(name, "text");
  return value || null;
}

function flag(filters: PruneFilters, name: "archived"): 0 | 1 | null {
  const value: unknown = filters[name] ?? null;
  if (value !== null && typeof value !== "boolean") throw new FilterValueError(name, "a boolean");
  return value === null ? null : value ? 1 : 0;
}

/** Conditions on the session `s` of a query, whose activity is `last_active`. A filter that is NULL is none. */
export const PRUNE_CONDITIONS_SQL = `
      (@last_active_before IS NULL OR last_active < @last_active_before)
  AND (@last_active_after IS NULL OR last_active >= @last_active_after)
  AND (@started_before IS NULL OR s.started_at < @started_before)
  AND (@started_after IS NULL OR s.started_at >= @started_after)
  AND (@source IS NULL OR s.source = @source)
  AND (@end_reason IS NULL OR s.end_reason = @end_reason)
  AND (@user_id IS NULL OR s.user_id = @user_id)
  AND (@chat_id IS NULL OR s.chat_id = @chat_id)
  AND (@chat_type IS NULL OR s.chat_type = @chat_type)
  AND (@provider IS NULL OR lower(s.billing_provider) = @provider)
  AND (@title_like IS NULL OR s.title LIKE @title_like ESCAPE '\\')
  AND (@model_like IS NULL OR s.model LIKE @model_like ESCAPE '\\')
  AND (@branch_like IS NULL OR s.git_branch LIKE @branch_like ESCAPE '\\')
  AND (@cwd IS NULL OR s.cwd = @cwd OR s.cwd LIKE @cwd_below ESCAPE '\\' OR s.cwd LIKE @cwd_below_backslash ESCAPE '\\')
  AND (@min_messages IS NULL OR s.message_count >= @min_messages)
  AND (@max_messages IS NULL OR s.message_count <= @max_messages)
  AND (@min_tokens IS NULL OR s.input_tokens + s.output_tokens >= @min_tokens)
  AND (@max_tokens IS NULL OR s.input_tokens + s.output_tokens <= @max_tokens)
  AND (@min_cost IS NULL OR COALESCE(s.actual_cost_usd, s.estimated_cost_usd, 0) >= @min_cost)
  AND (@max_cost IS NULL OR COALESCE(s.actual_cost_usd, s.estimated_cost_usd, 0) <= @max_cost)
  AND (@min_tool_calls IS NULL OR s.tool_call_count >= @min_tool_calls)
  AND (@max_tool_calls IS NULL OR s.tool_call_count <= @max_tool_calls)
  AND (@archived IS NULL OR s.archived = @archived)`;
