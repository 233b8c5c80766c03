import fc from "fast-check";
import { LedgerError } from "../../src/index.js";
import { captureWrite, documentedTables } from "./captured-write.js";
import { delegationMethod, method, operation, toText, type Operation } from "./store-operation.js";

/** Ids of few sessions, so that histories meet in them, and some awkward ones. */
export const anyId: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b") },
  { weight: 2, arbitrary: fc.constantFrom("c", "d", "__proto__", "é🙂", "", "x%_") },
);
const text = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("hello", "登录超时 hello", "", "a\u0000b", " padded ") },
  { weight: 9, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
  { weight: 2, arbitrary: fc.constant("long ".repeat(2000)) },
  { weight: 1, arbitrary: fc.constant("lone \ud800 half") },
);
const maybeText = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.constant(null) });
const content = fc.oneof(
  text,
  fc.constantFrom(null, 5, 2 ** 60, 1.5, true, [{ type: "text", text: "日本" }], { a: 1 }),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => new Uint8Array(bytes)),
);
/** What is said most, so that it can be found again. */
const oftenHello = <T>(other: fc.Arbitrary<T>): fc.Arbitrary<T | string> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant("hello") }, { weight: 1, arbitrary: other });
const title = fc.constantFrom("plan", "plan #2", " plan ", "Plan", "other", "标题🙂", null, "", "x".repeat(101));
const number = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom<number | bigint>(0, 1, 7, 1.5, -3, 2 ** 53, 9223372036854775807n) },
  { weight: 1, arbitrary: fc.constantFrom<number | bigint>(2n ** 63n, NaN) },
);
const cost = fc.constantFrom(null, 0, 0.1, -2.5, 1e300, Infinity, NaN);
const time = fc.constantFrom(null, 5, 1_800_000_000, 4_000_000_000.5, -1, NaN, Infinity);
const days = fc.constantFrom(null, 0, 1, 7, 90, -1, Infinity, NaN);
const directory = fc.constantFrom("/kb", "/kb/task 1", "/kb/100%_", "/家", "", "/other");
const holder = fc.oneof(
  { weight: 3, arbitrary: fc.constant("h1") },
  { weight: 1, arbitrary: fc.constantFrom("h2", "cli:pid=4194311:x", "é🙂", "", null, "lone \udc00") },
);
const longTtl = fc.constantFrom(50_000_000, 60_000_000, 70_000_000, 300, 0, -5, NaN, Infinity);
const telegramId = fc.constantFrom<string | number | bigint>("1", 1, "1", 1, 2n ** 60n, -100, "", "聊天");
const reason = fc.constantFrom("user_exit", "compression", "branched", "agent_close", "session_reset", null, "", "é");
const delegationId = fc.oneof(
  { weight: 8, arbitrary: fc.constant("d1") },
  { weight: 2, arbitrary: fc.constantFrom("d2", "__proto__", "", "é🙂") },
);
const claim = fc.oneof({ weight: 5, arbitrary: fc.constant("claim 1") }, fc.constantFrom("claim 2", ""));
const rowId = fc.oneof(fc.nat(30), fc.constantFrom(-1, 2 ** 53, 1.5));
const latestOrRow = fc.oneof(fc.constant("latest" as const), rowId);
const message = fc.record(
  {
    role: fc.constantFrom("user", "user", "assistant", "tool", "system", "é"),
    content,
    tool_call_id: maybeText,
    tool_calls: fc.constantFrom([{ id: "c1" }], [], "[{}]", {}, 0),
    effect_disposition: text,
    timestamp: fc.constantFrom(1, 2.5, "3", Infinity, -1, NaN, "no time"),
    finish_reason: maybeText,
    reasoning: text,
    reasoning_content: maybeText,
    reasoning_details: fc.constantFrom([{ a: 1 }], "text", null),
    codex_reasoning_items: fc.constantFrom([{ a: 1 }], "text", null),
    codex_message_items: fc.constantFrom([{ a: 1.0 }], {}, null),
    platform_message_id: text,
    tool_name: text,
    token_count: fc.constantFrom(5, "12", "abc", 2 ** 40),
    observed: fc.boolean(),
    api_content: text,
    display_kind: text,
    display_metadata: fc.constantFrom({ reactions: [] }, '{"a": 1.0}', "no json", { reactions: [{ author: "user" }] }),
  },
  { requiredKeys: ["role", "content"] },
);
/** Time passes, so that things grow old. */
const waiting = operation("clock.wait", [fc.constantFrom(1, 8, 100)], ({ wait }, passed) => wait(passed));
const reopening = operation("close", [], ({ reopen }) => reopen());
/** Mostly only what every message has, so that most are taken. */
const anyMessage = fc.oneof(
  { weight: 2, arbitrary: fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.constant("hello") }) },
  { weight: 3, arbitrary: message },
);
const messages = fc.array(anyMessage, { maxLength: 3 });

const options = <T extends object>(record: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(record, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;

const sessionFields = (id: fc.Arbitrary<string>) => ({
  model: fc.constantFrom("m1", null),
  model_config: fc.constantFrom<unknown>({ _branched_from: "a" }, { _delegate_from: "a" }, { x: 1.5 }, {}, "{no json"),
  system_prompt: maybeText,
  user_id: maybeText,
  session_key: fc.constantFrom("k", null),
  chat_id: maybeText,
  chat_type: maybeText,
  thread_id: maybeText,
  parent_session_id: id,
  cwd: directory,
  profile_name: maybeText,
  git_repo_root: directory,
  eventId: fc.constantFrom("s1", "s2"),
  expectedVersion: fc.constantFrom<"none" | "any" | number>("none", "any", 1),
});
const counters = {
  input_tokens: number,
  output_tokens: number,
  cache_read_tokens: number,
  cache_write_tokens: number,
  reasoning_tokens: number,
  estimated_cost_usd: cost,
  model: fc.constantFrom("m1", "m2", null, ""),
  billing_provider: fc.constantFrom("p", "P", null),
  billing_base_url: maybeText,
};
const usage = options({
  ...counters,
  api_call_count: number,
  actual_cost_usd: cost,
  cost_status: maybeText,
  cost_source: maybeText,
  pricing_version: maybeText,
  billing_mode: maybeText,
  absolute: fc.boolean(),
});
const filters = options({
  last_active_before: time,
  last_active_after: time,
  started_before: time,
  started_after: time,
  source: fc.constantFrom("cli", "tui", "", null),
  end_reason: reason,
  user_id: maybeText,
  chat_id: maybeText,
  chat_type: maybeText,
  provider: fc.constantFrom("p", "P", ""),
  title_like: fc.constantFrom("PLAN", "%", ""),
  model_like: fc.constantFrom("m", "_"),
  branch_like: fc.constantFrom("main", ""),
  cwd_prefix: directory,
  min_messages: fc.constantFrom(0, 1, NaN),
  max_messages: fc.constantFrom(0, 5),
  min_tokens: fc.constantFrom(0, 1),
  max_tokens: fc.constantFrom(0, 1e9),
  min_cost: cost,
  max_cost: cost,
  min_tool_calls: fc.constantFrom(0, 1),
  max_tool_calls: fc.constantFrom(0, 1),
  archived: fc.constantFrom(true, false, null),
});
/** Mostly none or one, since many filters together let nothing pass. */
const fewFilters = filters.map((given) => Object.fromEntries(Object.entries(given).slice(0, 1)));
const anyFilters = fc.oneof(fc.constant({}), fewFilters, filters);
// A folder that does not exist: what is done to transcript files is no matter of the log.
const deletion = options({ sessions_dir: fc.constantFrom("/nonexistent/sessions", "", null) });
const imported = (id: fc.Arbitrary<string>) =>
  fc.record(
    {
      id,
      title,
      source: fc.constantFrom("cli", ""),
      model: fc.constantFrom<unknown>("m1", 5, null),
      parent_session_id: id,
      started_at: fc.constantFrom<unknown>(5, "6.5", "no time", null),
      ended_at: fc.constantFrom<unknown>(7, null),
      end_reason: reason,
      input_tokens: number,
      messages: fc.array(fc.oneof(anyMessage, fc.constantFrom<unknown>({ role: "user" }, null, "no message")), {
        maxLength: 2,
      }),
    },
    { requiredKeys: ["id", "messages"] },
  );

/** A transaction was given up, and nothing of it may remain. */
class GivenUp extends LedgerError {
  constructor() {
    super("state", "GIVEN_UP", "The body of the transaction gave up.");
  }
}

/** How often an operation comes up, beside the others. What takes sessions away is seldom, so that they fill up. */
interface Weighted {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Operation>;
}
type Theme = readonly Weighted[];
const often = (times: number, arbitrary: fc.Arbitrary<Operation>): Weighted => ({ weight: 4 * times, arbitrary });
const one = (arbitrary: fc.Arbitrary<Operation>): Weighted => often(1, arbitrary);
const seldom = (arbitrary: fc.Arbitrary<Operation>): Weighted => ({ weight: 1, arbitrary });

/** Operations that may stand in a transaction. */
/** Sessions begin, end, get titles and marks. */
function sessionsOn(id: fc.Arbitrary<string>): Theme {
  const someNew = fc.oneof(id, fc.constantFrom("i1", "i2", "导入", "i3"));
  const created = fc.record(
    { session_id: id, source: fc.constantFrom("cli", "tui", "é"), ...sessionFields(id) },
    { requiredKeys: ["session_id", "source"] },
  );
  return [
    often(
      5,
      method(
        "createSession",
        id.chain((session_id) =>
          fc.record({ session_id: fc.constant(session_id), source: fc.constantFrom("cli", "tui") }),
        ),
      ),
    ),
    often(3, method("createSession", created)),
    one(method("ensureSession", id, options({ source: fc.constantFrom("tui", "cron"), ...sessionFields(id) }))),
    often(4, method("endSession", id, reason)),
    often(2, method("reopenSession", id)),
    one(method("promoteToSessionReset", id, options({ reason }))),
    often(2, method("setSessionTitle", id, title)),
    one(method("setAutoTitleIfEmpty", id, title)),
    one(method("setAutoTitle", id, title)),
    one(
      method(
        "touchSessionActivity",
        id,
        options({
          ts: fc.oneof(time, fc.constantFrom("12.5", "no time")),
          description: maybeText,
          provenance: maybeText,
        }),
      ),
    ),
    often(2, method("clearSessionActivityLabels", id)),
    one(method("setSessionArchived", id, fc.boolean())),
    one(method("setSessionPinned", id, fc.boolean())),
    one(method("archiveSessions", anyFilters)),
    one(method("archiveStaleSessions", days, options({ exclude_pinned: fc.boolean() }))),
    often(
      2,
      method(
        "importSessions",
        fc.oneof(
          fc.array(imported(someNew), { maxLength: 3 }),
          fc
            .record({ id: someNew, messages: fc.constant([{ role: "user", content: "imported" }]) })
            .map((entry) => [entry]),
          fc.constantFrom<unknown[]>([null], [5, {}]),
        ),
        options({ restoreDeleted: fc.boolean() }),
      ),
    ),
    one(method("setExpiryFinalized", id, options({ finalized: fc.boolean() }))),
  ];
}

/** What a session runs with. */
function settingsOn(id: fc.Arbitrary<string>): Theme {
  return [
    one(method("updateSystemPrompt", id, maybeText)),
    one(
      method(
        "updateSessionMeta",
        id,
        fc.constantFrom(null, '{"browser_model_lock": {}, "a": 1.0}', "{no json", "", "lone \ud800"),
        options({ model: maybeText }),
      ),
    ),
    one(method("updateSessionModel", id, maybeText)),
    one(
      method(
        "updateSessionRuntimeLock",
        id,
        options({
          model: maybeText,
          provider: maybeText,
          model_options: fc.constantFrom({ a: 1.5 }, {}, null),
          route_source: maybeText,
          confirmed: fc.boolean(),
        }),
      ),
    ),
    one(method("updateSessionBillingRoute", id, maybeText, maybeText, options({ billing_mode: maybeText }))),
    one(method("updateSessionCwd", id, directory, options({ git_branch: maybeText, git_repo_root: maybeText }))),
    often(
      2,
      method(
        "backfillRepoRoots",
        fc.dictionary(directory, fc.constantFrom("/kb", "/家", "/kb", "", null, "lone \ud800"), {
          minKeys: 1,
          maxKeys: 3,
        }),
      ),
    ),
    one(method("retagKanbanWorkerSessions", fc.constantFrom("/kb", "/kb/", "/", "", "/家"))),
    one(method("setMeta", fc.oneof(fc.constantFrom("k", "__proto__", "键"), text), maybeText)),
  ];
}

/** Messages. */
function transcriptOn(id: fc.Arbitrary<string>): Theme {
  const appended = fc
    .tuple(
      id,
      anyMessage,
      options({
        eventId: fc.constantFrom("k1", "k2"),
        compression_lock_holder: holder,
        expectedVersion: fc.constantFrom<"none" | "any" | number>("none", "any", 1, 3),
        metadata: fc.constant({ actor: "test" }),
      }),
    )
    .map(([session_id, row, rest]) => ({ session_id, ...row, ...rest }));
  return [
    often(3, method("appendMessage", appended)),
    often(
      6,
      method(
        "appendMessage",
        fc.tuple(id, anyMessage).map(([session_id, row]) => ({ session_id, ...row })),
      ),
    ),
    one(method("replaceMessages", id, messages, options({ active_only: fc.boolean() }))),
    one(method("archiveAndCompact", id, messages)),
    seldom(method("clearMessages", id)),
    often(
      2,
      operation("rewindToMessage", [id, latestOrRow], ({ db }, s, row) =>
        db.rewindToMessage(s, row === "latest" ? Number(db.latestUserMessageRowId(s) ?? 1) : row),
      ),
    ),
    often(2, method("restoreRewound", id, rowId)),
    often(
      2,
      operation("eraseMessage", [id, latestOrRow], ({ db }, s, row) =>
        db.eraseMessage(s, row === "latest" ? Number(db.latestMessageRowId(s, { role: "assistant" }) ?? 1) : row),
      ),
    ),
    one(
      method(
        "setLatestMatchingMessageDisplayKind",
        id,
        fc.constantFrom("user", "user", "assistant", "é"),
        oftenHello(content),
        text,
        options({ display_metadata: fc.constantFrom<unknown>({ a: 1.5 }, "no json", null) }),
      ),
    ),
    one(method("setLatestUserApiContent", id, oftenHello(content), maybeText)),
    often(
      2,
      operation(
        "setMessageReaction",
        [
          id,
          latestOrRow,
          fc.constantFrom("👍", "❤️", "", null, "lone \ud800"),
          options({ author: fc.constantFrom("user", "hello") }),
        ],
        ({ db }, s, row, emoji, author) =>
          db.setMessageReaction(s, row === "latest" ? Number(db.latestUserMessageRowId(s) ?? 1) : row, emoji, author),
      ),
    ),
    often(2, method("takeUnseenReactions", id, options({ author: fc.constantFrom("user", "hello") }))),
  ];
}

/** Compression, its lock and its failures. */
function compressionOn(id: fc.Arbitrary<string>): Theme {
  return [
    one(waiting),
    often(2, method("finalizeOrphanedCompressionSessions")),
    often(
      3,
      method(
        "publishCompressionChild",
        id,
        fc.oneof({ weight: 3, arbitrary: fc.constantFrom("c", "d") }, { weight: 1, arbitrary: id }),
        fc.constantFrom("cli", "tui"),
        fc.oneof({ weight: 3, arbitrary: anyMessage.map((row) => [row]) }, { weight: 1, arbitrary: messages }),
        fc
          .tuple(
            fc.constantFrom<object>(
              { require_compression_lease: false },
              { compression_lock_holder: "h1" },
              { compression_lock_holder: "h2" },
              {},
            ),
            options({ model: maybeText, model_config: fc.constantFrom<unknown>({}, { a: 1.5 }), cwd: directory }),
          )
          .map(([lease, rest]) => ({ ...lease, ...rest })),
      ),
    ),
    often(2, method("recordCompressionFailureCooldown", id, time, options({ error: maybeText }))),
    one(method("clearCompressionFailureCooldown", id)),
    one(
      method(
        "restoreCompressionFailureCooldownRow",
        id,
        options({ session_exists: fc.boolean(), cooldown_until: time, error: maybeText }),
      ),
    ),
    one(method("setCompressionFallbackStreak", id, fc.oneof(number, fc.constantFrom<unknown>("4", "four", null)))),
    one(method("setCompressionIneffectiveCount", id, fc.oneof(number, fc.constantFrom<unknown>("4", true)))),
    often(3, method("tryAcquireCompressionLock", id, holder, options({ ttl_seconds: longTtl }))),
    often(4, method("refreshCompressionLock", id, holder, options({ ttl_seconds: longTtl }))),
    often(2, method("releaseCompressionLock", id, holder)),
  ];
}

/** Sessions go. */
function deletionOn(id: fc.Arbitrary<string>): Theme {
  return [
    often(2, waiting),
    one(
      method(
        "deleteSession",
        id,
        fc
          .tuple(
            deletion,
            fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.array(id) }),
          )
          .map(([rest, expected_delete_ids]) => ({ ...rest, expected_delete_ids })),
      ),
    ),
    one(
      method("deleteSessions", fc.array(fc.oneof(id, fc.constantFrom<unknown>(null, 5)), { maxLength: 3 }), deletion),
    ),
    often(2, method("deleteSessionIfEmpty", id, deletion)),
    one(method("deleteEmptySessions", deletion)),
    often(2, method("pruneEmptyGhostSessions", deletion)),
    one(
      method(
        "pruneSessions",
        fc.tuple(anyFilters, days).map(([given, older_than_days]) => ({ ...given, older_than_days })),
      ),
    ),
  ];
}

/** Usage, booked and queued. */
function usageOn(id: fc.Arbitrary<string>): Theme {
  return [
    one(method("updateTokenCounts", id, usage)),
    often(2, method("queueTokenCounts", id, usage)),
    one(method("flushTokenCounts", options({ timeout: fc.constantFrom(5, 0, -1) }))),
    one(method("recordAuxiliaryUsage", id, fc.oneof(fc.constantFrom("vision", "标题"), text), options(counters))),
  ];
}

/** Peers, routes and hand-offs of the messaging gateway. */
function gatewayOn(id: fc.Arbitrary<string>): Theme {
  const key = fc.oneof(fc.constantFrom("k", "1", "__proto__", "键"), text);
  const scope = options({ scope: fc.constantFrom("", "/sessions", "é") });
  return [
    one(
      method(
        "recordGatewaySessionPeer",
        id,
        fc.oneof(fc.constant("telegram"), text),
        options({
          user_id: maybeText,
          session_key: fc.constantFrom("k", "k", "键", "", null),
          chat_id: maybeText,
          chat_type: maybeText,
          thread_id: maybeText,
          display_name: maybeText,
          origin_json: maybeText,
          include_compression_ancestors: fc.boolean(),
        }),
      ),
    ),
    often(2, method("saveGatewayRoutingEntry", key, text, scope)),
    one(method("replaceGatewayRoutingEntries", fc.dictionary(key, text, { maxKeys: 3 }), scope)),
    one(method("deleteGatewayRoutingEntries", fc.array(key, { maxLength: 3 }), scope)),
    often(2, method("requestHandoff", id, fc.oneof(fc.constant("telegram"), text))),
    often(2, method("claimHandoff", id)),
    one(method("completeHandoff", id)),
    one(method("failHandoff", id, text)),
  ];
}

/** Telegram topics. */
function telegramOn(id: fc.Arbitrary<string>): Theme {
  const key = fc.oneof(fc.constantFrom("k", "1", "__proto__", "键"), text);
  return [
    one(method("applyTelegramTopicMigration")),
    often(
      2,
      method(
        "enableTelegramTopicMode",
        telegramId,
        telegramId,
        options({
          has_topics_enabled: fc.constantFrom(true, false, null),
          allows_users_to_create_topics: fc.constantFrom(true, null),
        }),
      ),
    ),
    one(method("disableTelegramTopicMode", telegramId, options({ clear_bindings: fc.boolean() }))),
    often(
      4,
      method(
        "bindTelegramTopic",
        telegramId,
        telegramId,
        telegramId,
        key,
        id,
        options({ managed_mode: fc.constantFrom("auto", "manual") }),
      ),
    ),
    often(2, method("deleteTelegramTopicBinding", telegramId, telegramId)),
  ];
}

/** Background delegations. */
function delegationsOn(id: fc.Arbitrary<string>): Theme {
  return [
    often(4, waiting),
    often(3, delegationMethod("persistDispatch", dispatchOn(id))),
    often(
      3,
      delegationMethod(
        "persistCompletion",
        fc.record(
          { delegation_id: delegationId, status: maybeText, completed_at: time, type: fc.constant("async_delegation") },
          { requiredKeys: ["delegation_id"] },
        ),
        fc.oneof(text, fc.constantFrom<unknown>({ summary: "完成", n: 1.5 }, null, [])),
      ),
    ),
    one(delegationMethod("deleteDurableDelegation", delegationId)),
    often(4, delegationMethod("pruneDurableRecords")),
    one(delegationMethod("noteDeliveryAttempt", delegationId)),
    often(4, delegationMethod("recoverAbandonedDelegations")),
    often(
      2,
      operation("delegations.restoreUndeliveredCompletions", [], ({ db }) =>
        db.delegations.restoreUndeliveredCompletions({ put: () => undefined }),
      ),
    ),
    often(5, delegationMethod("claimCompletionDelivery", delegationId, claim)),
    one(
      delegationMethod(
        "claimEventDelivery",
        fc.record({ type: fc.constantFrom("async_delegation", "other"), delegation_id: delegationId }),
        text,
      ),
    ),
    often(2, delegationMethod("releaseCompletionDelivery", delegationId, claim)),
    often(2, delegationMethod("dropCompletionDelivery", delegationId, claim)),
    often(4, delegationMethod("completeCompletionDelivery", delegationId, claim)),
    often(4, delegationMethod("markCompletionDelivered", delegationId)),
  ];
}

/** Operations that may stand in a transaction, by theme: one follows best on another of the same theme. */
function themesOn(id: fc.Arbitrary<string>): readonly Theme[] {
  const orEmpty = fc.oneof({ weight: 2, arbitrary: fc.constantFrom("e1", "e2") }, id);
  return [
    sessionsOn(id),
    settingsOn(id),
    transcriptOn(id),
    compressionOn(id),
    // What is deleted has to be made first, and no other theme gives these sessions messages.
    [...sessionsOn(orEmpty), ...deletionOn(orEmpty)],
    usageOn(id),
    gatewayOn(id),
    telegramOn(id),
    delegationsOn(id),
    eventsOn(id),
  ];
}

const dispatchOn = (id: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.record({ delegation_id: delegationId, dispatched_at: fc.constant(1), goal: text }),
    fc.record(
      {
        delegation_id: delegationId,
        dispatched_at: fc.constantFrom(1, 2.5, NaN),
        session_key: maybeText,
        origin_ui_session_id: maybeText,
        origin_session_id: maybeText,
        parent_session_id: id,
        goal: fc.oneof(text, fc.constantFrom<unknown>({ a: 1.5 }, 2n ** 63n)),
        toolsets: fc.constantFrom<unknown>(["web"], null),
        is_batch: fc.boolean(),
      },
      { requiredKeys: ["delegation_id", "dispatched_at"] },
    ),
  );

/** Events given straight to the log. */
function eventsOn(id: fc.Arbitrary<string>): Theme {
  return [
    one(
      operation(
        "log.append",
        [
          fc.record({
            type: fc.constant("UsageRecorded" as const),
            payload: fc.record({
              session_id: id,
              mode: fc.constantFrom("delta" as const, "absolute" as const, "auxiliary" as const),
              counters: fc.record({ input_tokens: number, api_call_count: fc.constant(1) }),
              estimated_cost_usd: fc.constantFrom(null, 0, 0.1),
              model: fc.constantFrom("m1", null),
              billing_provider: fc.constant("p"),
              task: fc.constant("t"),
            }),
          }),
        ],
        ({ db }, event) => db.log.append(event),
      ),
    ),
    one(
      operation(
        "log.append",
        [
          fc.record({
            type: fc.constant("MetaSet" as const),
            payload: fc.record({ key: fc.oneof(fc.constant("k"), text), value: maybeText }),
          }),
        ],
        ({ db }, event) => db.log.append(event),
      ),
    ),
    one(
      operation(
        "log.append",
        [
          fc.array(
            fc.record({
              type: fc.constant("MessageAppended" as const),
              payload: fc.record({ session_id: id, message: fc.record({ role: fc.constant("user"), content: text }) }),
            }),
            { maxLength: 3 },
          ),
          options({
            expectedVersion: fc.constantFrom<number | "none" | "any">(0, 1, "none", "any"),
            origin: fc.constantFrom("store" as const, "import" as const),
          }),
        ],
        ({ db }, events, given) => db.log.append(events, given),
      ),
    ),
  ];
}

/** Operations with transactions or connections of their own. */
function outermostOn(id: fc.Arbitrary<string>): Theme {
  return [
    often(
      4,
      operation(
        "transaction",
        [fc.array(fc.oneof(...themesOn(id).flat(), ...maintenance), { minLength: 1, maxLength: 4 }), fc.boolean()],
        (world, steps, givesUp) =>
          world.db.transaction(() => {
            for (const step of steps) {
              try {
                step.run(world);
              } catch (error) {
                if (!(error instanceof LedgerError)) throw new Error(toText(step), { cause: error });
              }
            }
            if (givesUp) throw new GivenUp();
          }),
      ),
    ),
    one(reopening),
    often(
      3,
      operation(
        "otherProgram.write",
        [
          fc.constantFrom(...documentedTables.keys()),
          fc.record({
            operation: fc.constantFrom("insert" as const, "update" as const, "delete" as const),
            pick: fc.nat(40),
            text: fc.constantFrom("theirs", "他们的", "", "a\u0000b"),
          }),
        ],
        ({ otherProgram }, table, write) => captureWrite(otherProgram(), table, write),
      ),
    ),
    ...maintenance,
  ];
}

const maintenance: Theme = [
  seldom(method("rebuild", options({ discardUnexplained: fc.boolean() }))),
  seldom(method("vacuum")),
  one(
    method(
      "maybeAutoPruneAndVacuum",
      options({
        retention_days: days,
        min_interval_hours: fc.constantFrom(0, 24),
        vacuum: fc.boolean(),
        sessions_dir: fc.constantFrom("/nonexistent/sessions", null),
        min_vacuum_interval_days: fc.constantFrom(0, 30),
      }),
    ),
  ),
  one(
    method(
      "maybeAutoArchive",
      options({ idle_days: days, min_interval_hours: fc.constantFrom(0, 24), exclude_pinned: fc.boolean() }),
    ),
  ),
  seldom(method("rebuildFts")),
  seldom(method("optimizeFts")),
  seldom(method("ftsRebuildStep")),
  seldom(method("ftsCjkRebuildStep")),
  seldom(method("optimizeFtsStorage", options({ vacuum: fc.boolean() }))),
];

/** Sessions with some messages, as most histories begin. */
function openingOn(id: fc.Arbitrary<string>): fc.Arbitrary<Operation[]> {
  const fields = { session_id: id, source: fc.constantFrom("cli", "tui"), cwd: directory };
  const created = method("createSession", fc.record(fields, { requiredKeys: ["session_id", "source"] }));
  const said = method(
    "appendMessage",
    fc.record({ session_id: id, role: fc.constantFrom("user", "assistant"), content: oftenHello(text) }),
  );
  const arrays = [
    fc.array(created, { maxLength: 6, size: "max" }),
    fc.array(said, { maxLength: 8, size: "max" }),
  ] as const;
  return fc.tuple(...arrays).map((parts) => parts.flat());
}

/** How long histories are: how many stretches, and how many operations each. */
export interface HistoryLength {
  readonly stretches: { readonly minLength: number; readonly maxLength: number };
  readonly operations: { readonly minLength: number; readonly maxLength: number };
}

const SHORT: HistoryLength = {
  stretches: { minLength: 1, maxLength: 6 },
  operations: { minLength: 1, maxLength: 16 },
};

/**
 * Histories of operations on a store, on sessions with these ids: an opening, then stretches of operations of all kinds
 * or of one theme.
 */
export function historyOn(id: fc.Arbitrary<string>, length: HistoryLength = SHORT): fc.Arbitrary<Operation[]> {
  const themes = themesOn(id);
  const outermost = outermostOn(id);
  const stretchOf = (theme: Theme): fc.Arbitrary<Operation[]> =>
    fc.array(fc.oneof(...theme), { ...length.operations, size: "max" });
  const stretch = fc.oneof(
    { weight: themes.length / 2, arbitrary: stretchOf([...themes.flat(), ...outermost]) },
    ...themes.map(stretchOf),
    stretchOf(outermost),
    // A store opened by another process finds what that one left behind.
    stretchOf([...delegationsOn(id), often(3, reopening)]),
  );
  const rest = fc.array(stretch, { ...length.stretches, size: "max" });
  return fc.tuple(openingOn(id), rest).map(([first, others]) => [...first, ...others.flat()]);
}
