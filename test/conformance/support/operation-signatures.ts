/** Where an operation is found: on the store, on its `delegations`, or as an exported function. */
export type OperationPlace = "store" | "delegations" | "function";

/** How one documented operation is called. */
export interface OperationSignature {
  /** The documented name, with the `async_delegation.` prefix where it has one. */
  readonly operation: string;
  readonly place: OperationPlace;
  /** Name of the method or function. */
  readonly method: string;
  /** Required parameters, in the documented order. Positional, unless `oneObject`. */
  readonly required: readonly string[];
  /** Optional parameters: keys of the one trailing options object. */
  readonly optional: readonly string[];
  /** All parameters are keys of one object. */
  readonly oneObject: boolean;
  /** The documented result is always NULL: the method returns undefined (or null). */
  readonly returnsNothing: boolean;
}

type Traits = Partial<Pick<OperationSignature, "oneObject" | "returnsNothing">>;

const names = (list: string): string[] => list.split(" ").filter((name) => name !== "");

const camelCase = (name: string): string => name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function describe(place: OperationPlace, operation: string, required: string, optional: string, traits: Traits) {
  const method = camelCase(operation.replace("async_delegation.", ""));
  const signature: OperationSignature = {
    operation,
    place,
    method,
    required: names(required),
    optional: names(optional),
    oneObject: traits.oneObject ?? false,
    returnsNothing: traits.returnsNothing ?? false,
  };
  return signature;
}

/** An operation of the store with a result. */
const query = (operation: string, required = "", optional = "", traits: Traits = {}) =>
  describe("store", operation, required, optional, traits);

/** An operation of the store without a result. */
const command = (operation: string, required = "", optional = "") =>
  describe("store", operation, required, optional, { returnsNothing: true });

/** An operation on background delegations. */
const delegation = (operation: string, required = "", traits: Traits = {}) =>
  describe("delegations", `async_delegation.${operation}`, required, "", traits);

/** An operation that needs no store. */
const pure = (operation: string, required: string) => describe("function", operation, required, "", {});

const sessionFields =
  "model model_config system_prompt user_id session_key chat_id chat_type thread_id parent_session_id cwd " +
  "profile_name git_repo_root";

const messageFields =
  "content tool_name tool_calls tool_call_id token_count finish_reason reasoning reasoning_content " +
  "reasoning_details codex_reasoning_items codex_message_items platform_message_id observed effect_disposition " +
  "timestamp api_content display_kind display_metadata compression_lock_holder";

const usageFields =
  "input_tokens output_tokens model cache_read_tokens cache_write_tokens reasoning_tokens estimated_cost_usd " +
  "actual_cost_usd cost_status cost_source pricing_version billing_provider billing_base_url billing_mode " +
  "api_call_count absolute";

const auxiliaryUsageFields =
  "model billing_provider billing_base_url input_tokens output_tokens cache_read_tokens cache_write_tokens " +
  "reasoning_tokens estimated_cost_usd";

const listFilters =
  "source sources exclude_sources cwd_prefix limit offset include_children min_message_count " +
  "project_compression_tips order_by_last_active include_archived archived_only id_query search_query compact_rows " +
  "include_pinned session_key";

const pruneFilters =
  "last_active_before last_active_after started_before started_after end_reason user_id chat_id chat_type provider " +
  "title_like model_like branch_like cwd_prefix min_messages max_messages min_tokens max_tokens min_cost max_cost " +
  "min_tool_calls max_tool_calls archived";

/** Every documented operation, in the order of the documentation: the checklist of the API. */
export const operationSignatures: readonly OperationSignature[] = [
  // Session lifecycle
  query("create_session", "session_id source", sessionFields, { oneObject: true }),
  query("ensure_session", "session_id", `source ${sessionFields}`),
  command("end_session", "session_id end_reason"),
  command("reopen_session", "session_id"),
  query("promote_to_session_reset", "session_id", "reason"),
  query("finalize_orphaned_compression_sessions"),
  command(
    "publish_compression_child",
    "parent_session_id child_session_id source messages",
    "model model_config system_prompt cwd profile_name compression_lock_holder require_compression_lease",
  ),

  // Session updates
  command("update_system_prompt", "session_id system_prompt"),
  command("update_session_meta", "session_id model_config_json", "model"),
  command("update_session_model", "session_id model"),
  command("update_session_runtime_lock", "session_id", "model provider model_options route_source confirmed"),
  command("update_session_billing_route", "session_id provider base_url", "billing_mode"),
  command("update_session_cwd", "session_id cwd", "git_branch git_repo_root"),
  command("backfill_repo_roots", "cwd_to_root"),
  command("touch_session_activity", "session_id", "ts description provenance"),
  command("clear_session_activity_labels", "session_id"),
  query("get_session_activity", "session_id"),
  query("retag_kanban_worker_sessions", "workspaces_root"),
  query("get_session", "session_id"),
  query("resolve_session_id", "session_id_or_prefix"),

  // Titles
  pure("sanitize_title", "title"),
  query("set_session_title", "session_id title"),
  query("set_auto_title_if_empty", "session_id title"),
  query("get_session_title", "session_id"),
  query("get_session_by_title", "title"),
  query("resolve_session_by_title", "title"),
  query("get_next_title_in_lineage", "base_title"),

  // Writing messages
  query("append_message", "session_id role", messageFields, { oneObject: true }),
  command("replace_messages", "session_id messages", "active_only"),
  query("archive_and_compact", "session_id compacted_messages"),
  command("clear_messages", "session_id"),
  query("has_archived_messages", "session_id"),
  query("rewind_to_message", "session_id target_message_id"),
  query("restore_rewound", "session_id since_message_id"),
  query("set_latest_matching_message_display_kind", "session_id role content display_kind", "display_metadata"),
  query("set_latest_user_api_content", "session_id content api_content"),
  query("set_message_reaction", "session_id message_row_id emoji", "author"),
  query("get_message_reactions", "session_id message_row_id"),
  query("take_unseen_reactions", "session_id", "author"),

  // Reading messages
  query("get_messages", "session_id", "include_inactive limit offset"),
  query("get_messages_around", "session_id around_message_id", "window"),
  query("get_anchored_view", "session_id around_message_id", "window bookend keep_roles"),
  query("latest_message_row_id", "session_id", "role offset require_text"),
  query("latest_user_message_row_id", "session_id"),
  query("get_message_role", "session_id row_id"),
  query("message_count", "", "session_id"),
  query("has_platform_message_id", "session_id platform_message_id"),
  query("list_recent_user_messages", "session_id", "limit include_inactive"),
  query("get_first_assistant_text", "session_id"),
  query("list_skill_scaffolded_sessions", "", "limit"),
  query(
    "get_messages_as_conversation",
    "session_id",
    "include_ancestors include_inactive repair_alternation include_row_ids",
  ),
  query("get_resume_conversations", "session_id"),
  query("get_ancestor_display_prefix", "session_id"),

  // Lineage
  query("get_conversation_root", "session_id"),
  query("get_compression_tip", "session_id"),
  query("find_live_compression_child", "parent_session_id"),
  query("resolve_resume_session_id", "session_id"),
  query("get_compression_lineage", "session_id"),

  // Usage accounting
  command("update_token_counts", "session_id", usageFields),
  command("queue_token_counts", "session_id", usageFields),
  query("flush_token_counts", "", "timeout"),
  command("record_auxiliary_usage", "session_id task", auxiliaryUsageFields),

  // Listing and counting
  query("list_sessions_rich", "", listFilters),
  query("get_session_rich_row", "session_id", "compact_rows"),
  query("search_sessions", "", "source limit offset workspace_key"),
  pure("workspace_key", "row"),
  query("search_sessions_by_id", "query", "limit include_archived source sources exclude_sources"),
  query(
    "session_count",
    "",
    "source sources cwd_prefix min_message_count include_archived archived_only exclude_children exclude_sources",
  ),
  query("session_count_by_source", "", "include_archived archived_only exclude_children"),
  query("list_cron_job_runs", "job_id", "limit offset"),
  query("distinct_session_cwds", "", "include_archived"),

  // Gateway
  command(
    "record_gateway_session_peer",
    "session_id source",
    "user_id session_key chat_id chat_type thread_id display_name origin_json include_compression_ancestors",
  ),
  command("set_expiry_finalized", "session_id", "finalized"),
  command("save_gateway_routing_entry", "session_key entry_json", "scope"),
  command("replace_gateway_routing_entries", "entries", "scope"),
  command("delete_gateway_routing_entries", "session_keys", "scope"),
  query("load_gateway_routing_entries", "", "scope"),
  query("list_gateway_sessions", "", "platform active_only"),
  query("find_session_by_origin", "platform chat_id", "thread_id user_id"),
  query("find_latest_gateway_session_for_peer", "source", "user_id session_key chat_id chat_type thread_id"),

  // Compression state
  command("record_compression_failure_cooldown", "session_id cooldown_until", "error"),
  command("clear_compression_failure_cooldown", "session_id"),
  query("get_compression_failure_cooldown", "session_id"),
  query("get_compression_failure_cooldown_row", "session_id"),
  command("restore_compression_failure_cooldown_row", "session_id snapshot"),
  query("get_compression_fallback_streak", "session_id"),
  command("set_compression_fallback_streak", "session_id streak"),
  query("get_compression_ineffective_count", "session_id"),
  command("set_compression_ineffective_count", "session_id count"),
  query("try_acquire_compression_lock", "session_id holder", "ttl_seconds"),
  query("refresh_compression_lock", "session_id holder", "ttl_seconds"),
  command("release_compression_lock", "session_id holder"),
  query("get_compression_lock_holder", "session_id"),

  // Background delegations
  delegation("persist_dispatch", "record", { returnsNothing: true }),
  delegation("delete_durable_delegation", "delegation_id", { returnsNothing: true }),
  delegation("prune_durable_records", "", { returnsNothing: true }),
  delegation("persist_completion", "event result", { returnsNothing: true }),
  delegation("note_delivery_attempt", "delegation_id", { returnsNothing: true }),
  delegation("recover_abandoned_delegations"),
  delegation("restore_undelivered_completions", "queue"),
  delegation("claim_completion_delivery", "delegation_id claim_id"),
  delegation("claim_event_delivery", "event consumer"),
  delegation("release_completion_delivery", "delegation_id claim_id"),
  delegation("drop_completion_delivery", "delegation_id claim_id"),
  delegation("complete_completion_delivery", "delegation_id claim_id"),
  delegation("mark_completion_delivered", "delegation_id"),
  delegation("get_durable_delegation", "delegation_id"),

  // Handoff
  query("request_handoff", "session_id platform"),
  query("claim_handoff", "session_id"),
  command("complete_handoff", "session_id"),
  command("fail_handoff", "session_id error"),
  query("get_handoff_state", "session_id"),
  query("list_pending_handoffs"),

  // Store metadata
  query("get_meta", "key"),
  command("set_meta", "key value"),

  // Archive and pin
  query("set_session_archived", "session_id archived"),
  query("set_session_pinned", "session_id pinned"),
  query("archive_sessions", "", `older_than_days source ${pruneFilters}`),
  query("archive_stale_sessions", "idle_days", "exclude_pinned"),

  // Deleting
  query("get_session_delete_targets", "session_id"),
  query("delete_session", "session_id", "sessions_dir expected_delete_ids"),
  query("delete_sessions", "session_ids", "sessions_dir"),
  query("delete_session_if_empty", "session_id", "sessions_dir"),
  query("count_empty_sessions"),
  query("delete_empty_sessions", "", "sessions_dir"),
  query("prune_empty_ghost_sessions", "", "sessions_dir"),
  query("prune_sessions", "", `older_than_days source sessions_dir ${pruneFilters}`),
  query("list_prune_candidates", "", `older_than_days source ${pruneFilters}`),

  // Export and import
  query("export_session", "session_id"),
  query("export_session_lineage", "session_id"),
  query("export_all", "", "source"),
  query("import_sessions", "sessions"),

  // Maintenance
  query("vacuum"),
  query("logical_size_bytes"),
  query(
    "maybe_auto_prune_and_vacuum",
    "",
    "retention_days min_interval_hours vacuum sessions_dir min_vacuum_interval_days",
  ),
  query("maybe_auto_archive", "", "idle_days min_interval_hours exclude_pinned"),

  // Telegram topics
  command("apply_telegram_topic_migration"),
  command("enable_telegram_topic_mode", "chat_id user_id", "has_topics_enabled allows_users_to_create_topics"),
  command("disable_telegram_topic_mode", "chat_id", "clear_bindings"),
  query("is_telegram_topic_mode_enabled", "chat_id user_id"),
  command("bind_telegram_topic", "chat_id thread_id user_id session_key session_id", "managed_mode"),
  query("delete_telegram_topic_binding", "chat_id thread_id"),
  query("get_telegram_topic_binding", "chat_id thread_id"),
  query("get_telegram_topic_binding_by_session", "session_id"),
  query("list_telegram_topic_bindings_for_chat", "chat_id"),
  query("is_telegram_session_linked_to_topic", "session_id"),
  query("list_unlinked_telegram_sessions_for_user", "chat_id user_id", "limit"),

  // Search and its indexes
  query("search_messages", "query", "source_filter exclude_sources role_filter limit offset sort include_inactive"),
  pure("sanitize_fts_query", "query"),
  query("fts_rebuild_status"),
  query("fts_cjk_rebuild_status"),
  query("fts_optimize_available"),
  query("fts_rebuild_step"),
  query("fts_cjk_rebuild_step"),
  query("optimize_fts_storage", "", "progress_callback vacuum"),
  query("optimize_fts"),
  query("rebuild_fts"),
];

const byOperation = new Map(operationSignatures.map((signature) => [signature.operation, signature]));

/** The signature of a documented operation; throws for a name that is none. */
export function signatureOf(operation: string): OperationSignature {
  const signature = byOperation.get(operation);
  if (!signature) throw new Error(`${operation} is not a documented operation.`);
  return signature;
}

/**
 * The positional arguments of a call, made from arguments by name. Options are left out when none is given. Unknown
 * names go into the options too: what the store says about them is part of its behaviour.
 */
export function positionalArguments(
  signature: OperationSignature,
  named: Readonly<Record<string, unknown>>,
): unknown[] {
  if (signature.oneObject) return [named];
  const options = Object.entries(named).filter(([name]) => !signature.required.includes(name));
  const positional: unknown[] = signature.required.map((name) => {
    if (!(name in named)) throw new Error(`${signature.operation}: the required argument ${name} is missing.`);
    return named[name];
  });
  return options.length > 0 ? [...positional, Object.fromEntries(options)] : positional;
}
