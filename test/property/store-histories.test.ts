import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { LedgerError, SessionDB, eventTypes, fold, tableRows, type LogEvent } from "../../src/index.js";
import { foldTableNames } from "../../src/projections/fold/index.js";
import { createTables, documentedProjections, exactNumbers, replay, type SqlRow } from "../../src/projections/index.js";

const RUNS = Number(process.env["HERMES_LEDGER_PROPERTY_RUNS"] ?? 40);
const directory = mkdtempSync(join(tmpdir(), "store-histories-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const anyId = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b") },
  { weight: 2, arbitrary: fc.constantFrom("c", "d", "__proto__", "é🙂", "", "x%_") },
);
const text = fc.oneof(
  fc.constantFrom("hello", "登录超时 hello", "", "a\u0000b", "lone \ud800 half", " padded "),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constant("long ".repeat(2000)),
);
const content = fc.oneof(
  text,
  fc.constantFrom(null, 5, 2 ** 60, 1.5, true, [{ type: "text", text: "日本" }], { a: 1 }),
);
const title = fc.constantFrom("plan", "plan #2", " plan ", "Plan", "other", null, "", "x".repeat(101));
const number = fc.constantFrom<number | bigint>(0, 1, 7, 1.5, -3, 2 ** 53, 9223372036854775807n);
const message = fc.record(
  {
    role: fc.constantFrom("user", "assistant", "tool", "system"),
    content,
    tool_calls: fc.constantFrom([{ id: "c1" }], [], "[{}]", {}, 0),
    timestamp: fc.constantFrom(1, 2.5, "3", Infinity, -1, NaN, "no time"),
    reasoning: text,
    reasoning_details: fc.constantFrom([{ a: 1 }], "text", null),
    tool_name: text,
    token_count: fc.constantFrom(5, "12", "abc", 2 ** 40),
    observed: fc.boolean(),
    display_metadata: fc.constantFrom({ reactions: [] }, '{"a": 1.0}', "no json"),
  },
  { requiredKeys: ["role", "content"] },
);

/** A call: what it is called in a failure, and what it does. */
interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly run: (db: SessionDB) => unknown;
}

function call<A extends unknown[]>(
  name: string,
  args: { [K in keyof A]: fc.Arbitrary<A[K]> },
  run: (db: SessionDB, ...args: A) => unknown,
): fc.Arbitrary<Call> {
  return (fc.tuple(...args) as unknown as fc.Arbitrary<A>).map((values) => ({
    name,
    args: values,
    run: (db) => run(db, ...values),
  }));
}

const options = <T extends object>(record: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(record, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;

const callsOn = (id: fc.Arbitrary<string>): readonly fc.Arbitrary<Call>[] => [
  call(
    "createSession",
    [
      id,
      options({
        parent_session_id: id,
        model: fc.constantFrom("m1", null),
        model_config: fc.constantFrom({ _branched_from: "a" }, { _delegate_from: "a" }, { x: 1 }),
        cwd: text,
      }),
    ],
    (db, session_id, rest) => db.createSession({ session_id, source: "cli", ...rest }),
  ),
  call("createSession", [id], (db, session_id) => db.createSession({ session_id, source: "tui" })),
  call("appendMessage", [id, message, options({ eventId: fc.constantFrom("k1", "k2") })], (db, session_id, row, rest) =>
    db.appendMessage({ session_id, ...row, ...rest }),
  ),
  call("appendMessage", [id, message], (db, session_id, row) => db.appendMessage({ session_id, ...row })),
  call(
    "endSession",
    [id, fc.constantFrom("user_exit", "compression", "branched", "agent_close", null)],
    (db, s, reason) => db.endSession(s, reason),
  ),
  call("reopenSession", [id], (db, s) => db.reopenSession(s)),
  call("promoteToSessionReset", [id], (db, s) => db.promoteToSessionReset(s)),
  call("setSessionTitle", [id, title], (db, s, value) => db.setSessionTitle(s, value)),
  call("setAutoTitleIfEmpty", [id, title], (db, s, value) => db.setAutoTitleIfEmpty(s, value)),
  call("updateSystemPrompt", [id, text], (db, s, prompt) => db.updateSystemPrompt(s, prompt)),
  call("updateSessionModel", [id, text], (db, s, model) => db.updateSessionModel(s, model)),
  call("updateSessionRuntimeLock", [id], (db, s) => db.updateSessionRuntimeLock(s, { model: "m9", provider: "p" })),
  call("updateSessionCwd", [id, text], (db, s, cwd) => db.updateSessionCwd(s, cwd, { git_branch: "main" })),
  call("touchSessionActivity", [id, text], (db, s, description) => db.touchSessionActivity(s, { description })),
  call("clearSessionActivityLabels", [id], (db, s) => db.clearSessionActivityLabels(s)),
  call("setSessionArchived", [id, fc.boolean()], (db, s, value) => db.setSessionArchived(s, value)),
  call("setSessionPinned", [id, fc.boolean()], (db, s, value) => db.setSessionPinned(s, value)),
  call("publishCompressionChild", [id, id, message], (db, parent, child, first) =>
    db.publishCompressionChild(parent, child, "cli", [first], { require_compression_lease: false }),
  ),
  call("replaceMessages", [id, fc.array(message, { maxLength: 3 }), fc.boolean()], (db, s, rows, active_only) =>
    db.replaceMessages(s, rows, { active_only }),
  ),
  call("archiveAndCompact", [id, message], (db, s, row) => db.archiveAndCompact(s, [row])),
  call("clearMessages", [id], (db, s) => db.clearMessages(s)),
  call("rewindToMessage", [id], (db, s) => db.rewindToMessage(s, Number(db.latestUserMessageRowId(s) ?? 1))),
  call("restoreRewound", [id, fc.nat(30)], (db, s, since) => db.restoreRewound(s, since)),
  call("setLatestUserApiContent", [id], (db, s) => db.setLatestUserApiContent(s, "hello", "HELLO")),
  call("setMessageReaction", [id, fc.nat(30)], (db, s, row) => db.setMessageReaction(s, row, "👍")),
  call("takeUnseenReactions", [id], (db, s) => db.takeUnseenReactions(s)),
  call("deleteSession", [id], (db, s) => db.deleteSession(s)),
  call("deleteSessions", [fc.array(id, { maxLength: 3 })], (db, ids) => db.deleteSessions(ids)),
  call("deleteSessionIfEmpty", [id], (db, s) => db.deleteSessionIfEmpty(s)),
  call("pruneSessions", [fc.constantFrom(0, 1)], (db, older_than_days) => db.pruneSessions({ older_than_days })),
  call("importSessions", [id, title, id], (db, s, value, parent_session_id) =>
    db.importSessions([{ id: s, title: value, parent_session_id, messages: [{ role: "user", content: "imported" }] }]),
  ),
  call(
    "emit UsageRecorded",
    [
      id,
      fc.constantFrom("delta", "absolute", "auxiliary"),
      number,
      fc.constantFrom(null, 0, 0.1),
      fc.constantFrom("m1", null),
    ],
    (db, session_id, mode, input_tokens, estimated_cost_usd, model) =>
      db.log.append({
        type: "UsageRecorded",
        payload: {
          session_id,
          mode,
          counters: { input_tokens, api_call_count: 1 },
          estimated_cost_usd,
          model,
          billing_provider: "p",
          task: "t",
        },
      }),
  ),
  call("emit MetaSet", [text, text], (db, key, value) => db.log.append({ type: "MetaSet", payload: { key, value } })),
  call(
    "emit MessageAppended",
    [id, text, fc.constantFrom<number | "none" | "any">(0, 1, "none", "any")],
    (db, session_id, value, expectedVersion) =>
      db.log.append(
        { type: "MessageAppended", payload: { session_id, message: { role: "user", content: value } } },
        { expectedVersion },
      ),
  ),
  call("transaction", [id, message, title], (db, s, row, value) =>
    db.transaction(() => {
      db.appendMessage({ session_id: s, ...row });
      try {
        db.setSessionTitle(s, value);
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
      }
    }),
  ),
  call("eraseMessage", [id, fc.nat(12)], (db, s, row) =>
    db.eraseMessage(s, Number(db.latestUserMessageRowId(s) ?? row)),
  ),
  call("updateTokenCounts", [id, number, fc.boolean()], (db, s, input_tokens, absolute) =>
    db.updateTokenCounts(s, { input_tokens, model: "m1", billing_provider: "p", actual_cost_usd: 0.5, absolute }),
  ),
  call("recordAuxiliaryUsage", [id, text], (db, s, task) => db.recordAuxiliaryUsage(s, task, { output_tokens: 3 })),
  call("recordGatewaySessionPeer", [id, text], (db, s, chat_id) =>
    db.recordGatewaySessionPeer(s, "telegram", { session_key: "k", chat_id, include_compression_ancestors: true }),
  ),
  call("setExpiryFinalized", [id], (db, s) => db.setExpiryFinalized(s)),
  call("saveGatewayRoutingEntry", [text, text], (db, key, entry) => db.saveGatewayRoutingEntry(key, entry)),
  call("replaceGatewayRoutingEntries", [text], (db, key) =>
    db.replaceGatewayRoutingEntries({ [key]: "{}", "1": "{}" }),
  ),
  call("deleteGatewayRoutingEntries", [text], (db, key) => db.deleteGatewayRoutingEntries([key, "1"])),
  call("recordCompressionFailureCooldown", [id, fc.constantFrom(5, null)], (db, s, until) =>
    db.recordCompressionFailureCooldown(s, until, { error: "late" }),
  ),
  call("setCompressionFallbackStreak", [id, number], (db, s, streak) => db.setCompressionFallbackStreak(s, streak)),
  call("tryAcquireCompressionLock", [id, text], (db, s, holder) =>
    db.tryAcquireCompressionLock(s, holder, { ttl_seconds: 10_000 }),
  ),
  call("releaseCompressionLock", [id, text], (db, s, holder) => db.releaseCompressionLock(s, holder)),
  call("requestHandoff", [id], (db, s) => db.requestHandoff(s, "telegram")),
  call("failHandoff", [id, text], (db, s, error) => db.failHandoff(s, error)),
  call("setMeta", [text, text], (db, key, value) => db.setMeta(key, value)),
  call("enableTelegramTopicMode", [id, text], (db, chat, user) => db.enableTelegramTopicMode(chat, user)),
  call("bindTelegramTopic", [id, text, id], (db, chat, thread, s) => db.bindTelegramTopic(chat, thread, "u", "k", s)),
  call("disableTelegramTopicMode", [id], (db, chat) => db.disableTelegramTopicMode(chat)),
  call("delegations.persistDispatch", [id, text], (db, delegation_id, goal) =>
    db.delegations.persistDispatch({ delegation_id, dispatched_at: 1, goal }),
  ),
  call("delegations.persistCompletion", [id, text], (db, delegation_id, summary) =>
    db.delegations.persistCompletion({ delegation_id, status: "completed" }, { summary }),
  ),
  call("delegations.claimCompletionDelivery", [id], (db, delegation) =>
    db.delegations.claimCompletionDelivery(delegation, "claim"),
  ),
  call("delegations.deleteDurableDelegation", [id], (db, delegation) =>
    db.delegations.deleteDurableDelegation(delegation),
  ),
  call("rebuild", [], (db) => db.rebuild()),
];

const historyOn = (id: fc.Arbitrary<string>): fc.Arbitrary<Call[]> =>
  fc.array(fc.oneof(...callsOn(id)), { minLength: 5, maxLength: 45, size: "max" });
const toText = ({ name, args }: Call): string =>
  `${name}(${args.map((arg) => fc.stringify(arg).slice(0, 120)).join(", ")})`;

let files = 0;

/** Runs a history on a new store; every refusal must leave the file as it was. */
function live(history: readonly Call[], reopenAt: number): { path: string; db: SessionDB } {
  const path = join(directory, `${(files += 1)}.db`);
  // The clock steps back now and then: order never hangs on it.
  let time = 1_800_000_000;
  let ticks = 0;
  const open = (): SessionDB =>
    SessionDB.open({ path, durability: "normal", clock: () => (time += (ticks += 1) % 7 === 0 ? -5000 : 90_000.25) });
  let db = open();
  let lastMessage = 0;
  for (const [index, step] of history.entries()) {
    if (index === reopenAt) {
      db.close();
      db = open();
    }
    const before = { bytes: bytesOf(path), head: db.log.head() };
    try {
      step.run(db);
    } catch (error) {
      expect(error, toText(step)).toBeInstanceOf(LedgerError);
      expect({ bytes: bytesOf(path), head: db.log.head() }, toText(step)).toEqual(before);
    }
    const given = sequenceOf(path);
    expect(given, `${toText(step)}: message ids never go back`).toBeGreaterThanOrEqual(lastMessage);
    lastMessage = given;
  }
  return { path, db };
}

function bytesOf(path: string): string {
  const hash = createHash("sha256").update(readFileSync(path));
  if (existsSync(`${path}-wal`)) hash.update(readFileSync(`${path}-wal`));
  return hash.digest("hex");
}

function sequenceOf(path: string): number {
  const file = new Sqlite(path, { readonly: true });
  try {
    const seq = file.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'messages'").pluck().get();
    return typeof seq === "number" ? seq : 0;
  } finally {
    file.close();
  }
}

/** Every documented row, by table, in order of its key, as text in which storage classes differ. */
function rowsOf(db: Sqlite.Database): Record<string, string[]> {
  const tables = documentedProjections.flatMap(({ tables }) => tables);
  const there = new Set(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  return Object.fromEntries(
    tables
      .filter(({ name }) => there.has(name))
      .map(({ name, key }) => {
        const where = name === "state_meta" ? "WHERE key NOT LIKE 'fts\\_%' ESCAPE '\\'" : "";
        const rows = db.prepare<[], SqlRow>(`SELECT * FROM ${name} ${where} ORDER BY ${key.join(", ") || "1"}`);
        return [
          name,
          rows
            .safeIntegers(true)
            .all()
            .map((row) => rowText(exactNumbers(row))),
        ];
      })
      .filter(([, rows]) => (rows?.length ?? 0) > 0),
  ) as Record<string, string[]>;
}

function rowText(row: Readonly<SqlRow>): string {
  const values = Object.entries(row)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([column, value]) => {
      const shown = value instanceof Uint8Array ? `x${Buffer.from(value).toString("hex")}` : String(value);
      return `${column}=${value === null ? "null" : `${typeof value}:${shown}`}`;
    });
  return values.join("|");
}

/** The rows a replay of the events makes in an empty file; `cut` splits it into two replays, one after the other. */
function replayed(events: readonly LogEvent[], cut: number): Record<string, string[]> {
  const db = new Sqlite(":memory:");
  try {
    db.pragma("foreign_keys = OFF");
    createTables(db, documentedProjections);
    replay(db, documentedProjections, events.slice(0, cut), events.length);
    replay(db, documentedProjections, events.slice(cut), events.length);
    return rowsOf(db);
  } finally {
    db.close();
  }
}

function folded(events: readonly LogEvent[], cut: number): Record<string, string[]> {
  const state = fold(events.slice(cut), fold(events.slice(0, cut)));
  return Object.fromEntries(
    foldTableNames
      .map((name) => {
        const rows = tableRows(state, name);
        const kept = name === "state_meta" ? rows.filter((row) => !String(row["key"]).startsWith("fts_")) : rows;
        return [name, kept.map(rowText)] as const;
      })
      .filter(([, rows]) => rows.length > 0),
  );
}

test("live tables, a replay into an empty file and the fold are equal; refusals change no byte; ids are given once", () => {
  fc.assert(
    fc.property(historyOn(anyId), fc.nat(45), fc.nat(200), (steps, reopenAt, where) => {
      const { path, db } = live(steps, reopenAt);
      try {
        const events = [...db.log.read()];
        const cut = events.length === 0 ? 0 : where % (events.length + 1);
        const file = new Sqlite(path, { readonly: true });
        const rows = rowsOf(file);
        file.close();
        const { schema_version: _version, ...documented } = rows;
        expect(replayed(events, events.length), "replay").toEqual(rows);
        expect(replayed(events, cut), "replay of a prefix, then of the rest").toEqual(rows);
        expect(folded(events, cut), "fold").toEqual(documented);
        const report = db.verify({ deep: true });
        expect(report, "verify").toMatchObject({ ok: true, differences: [], index_problems: [] });
      } finally {
        db.close();
        for (const side of ["", "-wal", "-shm"]) rmSync(`${path}${side}`, { force: true });
      }
    }),
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the plugin hook that replaces it cannot change the message
    { numRuns: RUNS, reporter: reportReadably },
  );
}, 600_000);

test("such histories hold every type of event", () => {
  // Few sessions, so that they fill up; only the capture of other programs' writes makes the type that is left out.
  const missing = new Set<string>(eventTypes.filter((type) => type !== "RowCaptured"));
  for (const steps of fc.sample(historyOn(fc.constantFrom("a", "b")), { numRuns: 200, seed: 20261130 })) {
    const { db } = live(steps, -1);
    for (const { type } of db.log.read()) missing.delete(type);
    db.close();
    if (missing.size === 0) break;
  }
  expect([...missing]).toEqual([]);
}, 600_000);

/** The shrunk history as calls, with the seed and path that play it again. */
function reportReadably(details: fc.RunDetails<[Call[], number, number]>): void {
  if (!details.failed) return;
  const [steps = [], reopenAt] = details.counterexample ?? [];
  const problem =
    details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  throw new Error(
    [
      `Failed after ${details.numRuns} histories; seed ${details.seed}, path "${details.counterexamplePath ?? ""}".`,
      `The shortest history that fails (reopened before step ${String(reopenAt)}):`,
      ...steps.map((step, index) => `  ${index}. ${toText(step)}`),
      problem,
    ].join("\n"),
    { cause: details.errorInstance },
  );
}
