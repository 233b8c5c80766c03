import type { EventPayloads, UsageCounters } from "../../events/index.js";
import { statement } from "../statements.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";
import type { EventInput } from "./event-input.js";
import { EventNotAllowedError } from "./rule-errors.js";
import { rule } from "./rule.js";
import { requireSession } from "./stored-rows.js";

type Usage = EventPayloads["UsageRecorded"];
/** Every payload is also a given one: the parts are the same, only fewer are required. */
type Given = Exclude<EventInput<"UsageRecorded">, Usage>;

interface StoredRoute {
  readonly model: string | null;
  readonly billing_provider: string | null;
  readonly billing_base_url: string | null;
  readonly billing_mode: string | null;
  readonly api_call_count: number | null;
}

const ROUTE_COLUMNS = ["model", "billing_provider", "billing_base_url", "billing_mode"] as const;
type Route = Record<(typeof ROUTE_COLUMNS)[number], string | null>;

/** Decides which route columns and which per-model row a usage report touches. */
export const usageRecordedRule = rule<"UsageRecorded">({
  complete: (tx, input, known) => {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- a payload has every part an input may have
    const given = input as Given;
    const usage = {
      session_id: given.session_id,
      mode: given.mode ?? "delta",
      counters: counters(given.counters),
      estimated_cost_usd: given.estimated_cost_usd ?? null,
      actual_cost_usd: given.actual_cost_usd ?? null,
      cost_status: given.cost_status ?? null,
      cost_source: given.cost_source ?? null,
      pricing_version: given.pricing_version ?? null,
    };
    const decided = known ?? (isDecided(given) ? given : decide(tx, usage, given));
    return {
      ...usage,
      route: given.route ?? decided.route,
      model_row: given.model_row === undefined ? asNamed(decided.model_row, given) : given.model_row,
      recorded_at: given.recorded_at === undefined ? decided.recorded_at : given.recorded_at,
    };
  },
  admit: (tx, usage) => {
    requireSession(tx.db, usage.session_id);
    const problem = contradiction(usage);
    if (problem !== null) throw new EventNotAllowedError("UsageRecorded", problem);
  },
});

/** The row with what the report names itself: the same report again, but of another model, is not the same event. */
function asNamed(row: Usage["model_row"], given: Given): Usage["model_row"] {
  if (row === null) return null;
  return {
    ...row,
    model: given.model || row.model,
    billing_provider: given.billing_provider || row.billing_provider,
    billing_base_url: given.billing_base_url || row.billing_base_url,
    task: given.task ?? row.task,
  };
}

/** What no operation could have recorded, in words, or null. */
function contradiction({ mode, route, model_row, recorded_at }: Usage): string | null {
  if ((model_row === null) !== (recorded_at === null)) return "recorded_at belongs to a model_row, and to nothing else";
  if (mode === "absolute" && model_row !== null) return "totals of a session have no model_row";
  if (mode === "delta" && model_row !== null && model_row.task !== "") return "a task needs mode auxiliary";
  if (mode !== "auxiliary") return null;
  if (model_row === null || model_row.task === "") return "auxiliary usage needs a model_row with a task";
  return Object.keys(route).length === 0 ? null : "auxiliary usage sets no route of the session";
}

function isDecided(given: Given): given is Given & Pick<Usage, "route" | "model_row" | "recorded_at"> {
  return given.route !== undefined && given.model_row !== undefined && given.recorded_at !== undefined;
}

function counters(given: Partial<UsageCounters> = {}): UsageCounters {
  return {
    input_tokens: given.input_tokens ?? 0,
    output_tokens: given.output_tokens ?? 0,
    cache_read_tokens: given.cache_read_tokens ?? 0,
    cache_write_tokens: given.cache_write_tokens ?? 0,
    reasoning_tokens: given.reasoning_tokens ?? 0,
    api_call_count: given.api_call_count ?? 0,
  };
}

/**
 * Which columns of the session take the route of this call, and which per-model row is charged. The first route with
 * usage replaces the one the session was created with; later ones only fill what is still NULL.
 */
function decide(
  tx: WriteTransaction,
  usage: Pick<Usage, "session_id" | "mode" | "counters" | "estimated_cost_usd" | "actual_cost_usd">,
  given: Given,
): Pick<Usage, "route" | "model_row" | "recorded_at"> {
  const route: Route = {
    model: given.model ?? null,
    billing_provider: given.billing_provider ?? null,
    billing_base_url: given.billing_base_url ?? null,
    billing_mode: given.billing_mode ?? null,
  };
  if (usage.mode === "auxiliary") return auxiliaryRow(tx, route, given.task ?? "");
  const stored = statement<StoredRoute>(
    tx.db,
    "SELECT model, billing_provider, billing_base_url, billing_mode, api_call_count FROM sessions WHERE id = ?",
  ).get(usage.session_id);
  if (stored === undefined) return { route: {}, model_row: null, recorded_at: null };
  const counted = Object.values(usage.counters).some(isTruthy) || isTruthy(usage.estimated_cost_usd);
  const assigned = assignedRoute(stored, route, counted || isTruthy(usage.actual_cost_usd));
  if (usage.mode === "absolute" || !counted) return { route: assigned, model_row: null, recorded_at: null };
  const after = { ...stored, ...assigned };
  return {
    route: assigned,
    model_row: {
      model: route.model || after.model || "unknown",
      billing_provider: route.billing_provider || after.billing_provider || "",
      billing_base_url: route.billing_base_url || after.billing_base_url || "",
      billing_mode: route.billing_mode || after.billing_mode || "",
      task: "",
    },
    recorded_at: tx.now(),
  };
}

function auxiliaryRow(
  tx: WriteTransaction,
  route: Route,
  task: string,
): Pick<Usage, "route" | "model_row" | "recorded_at"> {
  return {
    route: {},
    model_row: {
      model: route.model || "unknown",
      billing_provider: route.billing_provider || "",
      billing_base_url: route.billing_base_url || "",
      billing_mode: "",
      task,
    },
    recorded_at: tx.now(),
  };
}

function assignedRoute(stored: StoredRoute, route: Route, accounted: boolean): Partial<Route> {
  if (!accounted) return {};
  const differs = stored.model !== route.model || stored.billing_provider !== route.billing_provider;
  if (!stored.api_call_count && route.model && route.billing_provider && differs) return route;
  const fills = ROUTE_COLUMNS.filter((column) => stored[column] === null && route[column] !== null);
  return Object.fromEntries(fills.map((column) => [column, route[column]]));
}
