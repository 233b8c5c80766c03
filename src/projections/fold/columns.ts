import type { SqlValue } from "../projection-sql.js";
import { type Affinity, stored } from "./values.js";

/** A documented table as the fold sees it: what a new row holds, its key, and the affinity of its columns. */
export interface FoldTable<C extends string = string> {
  readonly initial: Readonly<Record<C, SqlValue>>;
  readonly key: readonly C[];
  readonly affinities: ReadonlyMap<string, Affinity>;
}

/** The row type of a fold table. */
export type FoldRow<T> = T extends FoldTable<infer C> ? Record<C, SqlValue> : never;

/** Columns and their values, as events carry them; an absent column is not touched. */
export type Fields = Readonly<Record<string, SqlValue | undefined>>;

function foldTable<C extends string>(
  initial: Record<C, SqlValue>,
  key: readonly NoInfer<C>[],
  integer: readonly NoInfer<C>[],
  real: readonly NoInfer<C>[],
): FoldTable<C> {
  const affinities = new Map<string, Affinity>(Object.keys(initial).map((column) => [column, "text"]));
  for (const column of integer) affinities.set(column, "integer");
  for (const column of real) affinities.set(column, "real");
  return { initial, key, affinities };
}

/** A row with the given columns; the others hold their defaults. Names that are no columns are left out. */
export function newRow<C extends string>(table: FoldTable<C>, fields: Fields): Record<C, SqlValue> {
  const row: Record<C, SqlValue> = { ...table.initial };
  setColumns(table, row, fields);
  return row;
}

/** Sets the given columns of `row`. Names that are no columns are left out. */
export function setColumns(table: FoldTable, row: Record<string, SqlValue>, fields: Fields): void {
  for (const column of Object.keys(fields)) {
    const affinity = table.affinities.get(column);
    const value = fields[column];
    if (affinity !== undefined && value !== undefined) row[column] = stored(affinity, value);
  }
}

const sessions = foldTable(
  {
    id: null,
    source: null,
    user_id: null,
    session_key: null,
    chat_id: null,
    chat_type: null,
    thread_id: null,
    display_name: null,
    origin_json: null,
    expiry_finalized: 0,
    model: null,
    model_config: null,
    system_prompt: null,
    parent_session_id: null,
    started_at: null,
    ended_at: null,
    end_reason: null,
    message_count: 0,
    tool_call_count: 0,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cwd: null,
    git_branch: null,
    git_repo_root: null,
    billing_provider: null,
    billing_base_url: null,
    billing_mode: null,
    estimated_cost_usd: null,
    actual_cost_usd: null,
    cost_status: null,
    cost_source: null,
    pricing_version: null,
    title: null,
    last_activity_at: null,
    last_activity_description: null,
    last_activity_provenance: null,
    api_call_count: 0,
    handoff_state: null,
    handoff_platform: null,
    handoff_error: null,
    compression_failure_cooldown_until: null,
    compression_failure_error: null,
    compression_fallback_streak: 0,
    compression_ineffective_count: 0,
    profile_name: null,
    rewind_count: 0,
    archived: 0,
    pinned: 0,
  },
  ["id"],
  [
    "expiry_finalized",
    "message_count",
    "tool_call_count",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "api_call_count",
    "compression_fallback_streak",
    "compression_ineffective_count",
    "rewind_count",
    "archived",
    "pinned",
  ],
  [
    "started_at",
    "ended_at",
    "estimated_cost_usd",
    "actual_cost_usd",
    "last_activity_at",
    "compression_failure_cooldown_until",
  ],
);

const messages = foldTable(
  {
    id: null,
    session_id: null,
    role: null,
    content: null,
    tool_call_id: null,
    tool_calls: null,
    tool_name: null,
    effect_disposition: null,
    timestamp: null,
    token_count: null,
    finish_reason: null,
    reasoning: null,
    reasoning_content: null,
    reasoning_details: null,
    codex_reasoning_items: null,
    codex_message_items: null,
    platform_message_id: null,
    observed: 0,
    active: 1,
    compacted: 0,
    api_content: null,
    display_kind: null,
    display_metadata: null,
  },
  ["id"],
  ["id", "token_count", "observed", "active", "compacted"],
  ["timestamp"],
);

const session_model_usage = foldTable(
  {
    session_id: null,
    model: null,
    billing_provider: "",
    billing_base_url: "",
    billing_mode: "",
    task: "",
    api_call_count: 0,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    estimated_cost_usd: 0,
    actual_cost_usd: 0,
    cost_status: null,
    cost_source: null,
    first_seen: null,
    last_seen: null,
  },
  ["session_id", "model", "billing_provider", "billing_base_url", "billing_mode", "task"],
  ["api_call_count", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"],
  ["estimated_cost_usd", "actual_cost_usd", "first_seen", "last_seen"],
);

const state_meta = foldTable({ key: null, value: null }, ["key"], [], []);

const gateway_routing = foldTable(
  { scope: "", session_key: null, entry_json: null, updated_at: null },
  ["scope", "session_key"],
  [],
  ["updated_at"],
);

const compression_locks = foldTable(
  { session_id: null, holder: null, acquired_at: null, expires_at: null },
  ["session_id"],
  [],
  ["acquired_at", "expires_at"],
);

const async_delegations = foldTable(
  {
    delegation_id: null,
    origin_session: null,
    origin_ui_session_id: "",
    parent_session_id: null,
    state: null,
    dispatched_at: null,
    completed_at: null,
    updated_at: null,
    event_json: null,
    result_json: null,
    delivery_state: "pending",
    delivery_attempts: 0,
    delivered_at: null,
    owner_pid: null,
    owner_started_at: null,
    task_json: null,
    delivery_claim: null,
    delivery_claimed_at: null,
    origin_session_id: null,
  },
  ["delegation_id"],
  ["delivery_attempts", "owner_pid", "owner_started_at"],
  ["dispatched_at", "completed_at", "updated_at", "delivered_at", "delivery_claimed_at"],
);

const telegram_dm_topic_mode = foldTable(
  {
    chat_id: null,
    user_id: null,
    enabled: 1,
    activated_at: null,
    updated_at: null,
    has_topics_enabled: null,
    allows_users_to_create_topics: null,
    capability_checked_at: null,
    intro_message_id: null,
    pinned_message_id: null,
  },
  ["chat_id"],
  ["enabled", "has_topics_enabled", "allows_users_to_create_topics"],
  ["activated_at", "updated_at", "capability_checked_at"],
);

const telegram_dm_topic_bindings = foldTable(
  {
    chat_id: null,
    thread_id: null,
    user_id: null,
    session_key: null,
    session_id: null,
    managed_mode: "auto",
    linked_at: null,
    updated_at: null,
  },
  ["chat_id", "thread_id"],
  [],
  ["linked_at", "updated_at"],
);

/** The tables the fold keeps, by their documented names. */
export const foldTables = {
  sessions,
  messages,
  session_model_usage,
  state_meta,
  gateway_routing,
  compression_locks,
  async_delegations,
  telegram_dm_topic_mode,
  telegram_dm_topic_bindings,
};

/** Name of a table the fold keeps. */
export type FoldTableName = keyof typeof foldTables;
