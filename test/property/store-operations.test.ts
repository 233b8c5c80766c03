import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SessionDB, eventTypes, type EventType } from "../../src/index.js";
import { documentedProjections } from "../../src/projections/index.js";
import type { EventHandler } from "../../src/projections/projection.js";
import { folded, historyRunner, rowsOf } from "../support/store-history.js";
import { toText } from "../support/store-operation.js";
import { historyOn } from "../support/store-operations.js";

/**
 * Methods that change nothing documented. A method of SessionDB that is not here changes something and must come up in
 * the histories of test/support/store-operations.ts.
 */
const READ_ONLY: readonly string[] = [
  "getSession",
  "resolveSessionId",
  "resolveSessionReference",
  "getSessionActivity",
  "getSessionTitle",
  "getSessionByTitle",
  "resolveSessionByTitle",
  "getNextTitleInLineage",
  "getConversationRoot",
  "getCompressionTip",
  "findLiveCompressionChild",
  "resolveResumeSessionId",
  "getCompressionLineage",
  "getSessionDeleteTargets",
  "countEmptySessions",
  "listPruneCandidates",
  "countOpenPruneMatches",
  "logicalSizeBytes",
  "hasArchivedMessages",
  "getMessageReactions",
  "getMessages",
  "getMessagesAround",
  "getAnchoredView",
  "latestMessageRowId",
  "latestUserMessageRowId",
  "getMessageRole",
  "messageCount",
  "hasPlatformMessageId",
  "listRecentUserMessages",
  "getFirstAssistantText",
  "listSkillScaffoldedSessions",
  "getMessagesAsConversation",
  "getResumeConversations",
  "getAncestorDisplayPrefix",
  "exportSession",
  "exportSessionLineage",
  "exportAll",
  "exportEach",
  "listSessionsRich",
  "getSessionRichRow",
  "searchSessions",
  "searchSessionsById",
  "sessionCount",
  "sessionCountBySource",
  "listCronJobRuns",
  "distinctSessionCwds",
  "usageByModel",
  "usageTotals",
  "mostExpensiveSessions",
  "searchMessages",
  "search",
  "loadGatewayRoutingEntries",
  "listGatewaySessions",
  "findSessionByOrigin",
  "findLatestGatewaySessionForPeer",
  "getCompressionFailureCooldown",
  "getCompressionFailureCooldownRow",
  "getCompressionFallbackStreak",
  "getCompressionIneffectiveCount",
  "getCompressionLockHolder",
  "getHandoffState",
  "listPendingHandoffs",
  "getMeta",
  "isTelegramTopicModeEnabled",
  "getTelegramTopicBinding",
  "getTelegramTopicBindingBySession",
  "listTelegramTopicBindingsForChat",
  "isTelegramSessionLinkedToTopic",
  "listUnlinkedTelegramSessionsForUser",
  "wasDeleted",
  "sessionIds",
  "events$",
  "verify",
  "ftsRebuildStatus",
  "ftsCjkRebuildStatus",
  "ftsOptimizeAvailable",
  "log.read",
  "log.head",
  "log.streamVersion",
  "delegations.getDurableDelegation",
];
/** The same as `close`. */
const SYNONYMS: readonly string[] = [String(Symbol.dispose)];
/** Methods that change files, indexes or the queue, and append no event themselves. */
const WITHOUT_EVENTS: readonly string[] = [
  "close",
  "queueTokenCounts",
  "rebuild",
  "vacuum",
  "rebuildFts",
  "optimizeFts",
  "ftsRebuildStep",
  "ftsCjkRebuildStep",
  "optimizeFtsStorage",
];

const SEED = 20261130;
/** Histories are played until everything has come up, at most so many. */
const HISTORIES = 120;
/** Few sessions, so that they fill up. */
const fewIds = fc.constantFrom("a", "a", "a", "b", "c");
/** Long, so that what needs several operations before it comes up. */
const LONG = {
  stretches: { minLength: 6, maxLength: 10 },
  operations: { minLength: 15, maxLength: 40 },
};
const live = historyRunner();

interface Played {
  /** How often each method was called, did something with an event, was refused. */
  readonly calls: ReadonlyMap<string, { done: number; appended: number; refused: number }>;
  readonly types: ReadonlySet<string>;
  /** Handlers that changed a table, as `projection.EventType`. */
  readonly handlers: ReadonlySet<string>;
}

/** Plays the histories of a fixed seed, until `isComplete`; the tables must be what the fold makes of the log. */
function play(isComplete: (played: Played) => boolean): Played {
  const calls = new Map<string, { done: number; appended: number; refused: number }>();
  const types = new Set<string>();
  const handlers = new Set<string>();
  const restore = watchHandlers(handlers);
  for (const steps of fc.sample(historyOn(fewIds, LONG), {
    numRuns: HISTORIES,
    seed: SEED,
  })) {
    const { path, db, outcomes, remove } = live(steps);
    for (const [index, { name }] of steps.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) continue;
      const counts = calls.get(name) ?? { done: 0, appended: 0, refused: 0 };
      calls.set(name, counts);
      if ("refused" in outcome) counts.refused += 1;
      else counts.done += 1;
      if ("events" in outcome && outcome.events > 0) counts.appended += 1;
    }
    const events = [...db.log.read()];
    for (const { type } of events) types.add(type);
    const file = new Sqlite(path, { readonly: true });
    const { schema_version: _version, ...rows } = rowsOf(file);
    file.close();
    expect(folded(events, 0), `fold of ${steps.map(toText).join("\n")}`).toEqual(rows);
    remove();
    if (isComplete({ calls, types, handlers })) break;
  }
  restore();
  return { calls, types, handlers };
}

/**
 * Notes in `ran` each handler of a projection that changes something, in every store opened from now on; returns what
 * ends that. Live handlers and no replay: the log has lost what a deletion deletes.
 */
function watchHandlers(ran: Set<string>): () => void {
  const originals = documentedProjections.map(({ name, on }) => {
    const original = { ...on };
    const watching = Object.entries(on).map(([type, handler]) => [
      type,
      (...args: Parameters<EventHandler<EventType>>): void => {
        const state = (): string => JSON.stringify(args[0].get(CHANGES));
        const before = state();
        Reflect.apply(handler, undefined, args);
        if (state() !== before) ran.add(`${name}.${type}`);
      },
    ]);
    Object.assign(on, Object.fromEntries(watching));
    return () => Object.assign(on, original);
  });
  return () => originals.forEach((restore) => restore());
}

const CHANGES = "SELECT total_changes() AS rows, (SELECT schema_version FROM pragma_schema_version) AS tables";

/** Every method of a store: its own, those of its log, those of its delegations. */
function methodNames(): string[] {
  const { db, remove } = live([]);
  const names = [
    ...ownMethods(SessionDB.prototype),
    ...ownMethods(db.log, "log."),
    ...ownMethods(db.delegations, "delegations."),
  ];
  remove();
  return names;
}

function ownMethods(owner: object, prefix = ""): string[] {
  return Reflect.ownKeys(owner)
    .filter((name) => name !== "constructor")
    .filter((name) => typeof Object.getOwnPropertyDescriptor(owner, name)?.value === "function")
    .map((name) => `${prefix}${String(name)}`);
}

describe("the histories cover the store", () => {
  const names = methodNames();
  const changing = names.filter((name) => !READ_ONLY.includes(name) && !SYNONYMS.includes(name));
  const played = play((sofar) => [methodProblems(sofar), missingTypes(sofar), idleHandlers(sofar)].flat().length === 0);

  function methodProblems({ calls }: Played): string[] {
    return changing.flatMap((name) => {
      const counts = calls.get(name);
      if (counts === undefined) {
        return [
          `${name} is in no history: give it a generator in test/support/store-operations.ts, or list it as read-only`,
        ];
      }
      if (counts.done === 0) return [`${name} is always refused in the histories`];
      return counts.appended === 0 && !WITHOUT_EVENTS.includes(name) ? [`${name} never appends an event`] : [];
    });
  }

  function missingTypes({ types }: Played): string[] {
    return eventTypes.filter((type) => !types.has(type));
  }

  function idleHandlers({ handlers }: Played): string[] {
    const all = documentedProjections.flatMap(({ name, on }) => Object.keys(on).map((type) => `${name}.${type}`));
    return all.filter((handler) => !handlers.has(handler));
  }

  test("the lists of methods name methods that there are", () => {
    const listed = [...READ_ONLY, ...SYNONYMS, ...WITHOUT_EVENTS];
    expect(listed.filter((name) => !names.includes(name))).toEqual([]);
    expect(new Set(listed).size, "each is listed once").toBe(listed.length);
  });

  test("a method listed as read-only does not write", () => {
    const own = READ_ONLY.filter((name) => !name.includes("."));
    const writing = own.filter((name) => /#store\.(write|maintain)\(|#usage\.add\(/.test(sourceOf(name)));
    expect(writing).toEqual([]);
  });

  test("every method that changes something is called, succeeds, and appends its events", () => {
    expect(methodProblems(played)).toEqual([]);
  });

  test("every type of event occurs", () => {
    expect(missingTypes(played)).toEqual([]);
  });

  test("every handler of every projection changes a row", () => {
    expect(idleHandlers(played)).toEqual([]);
  });
});

function sourceOf(name: string): string {
  return String(Object.getOwnPropertyDescriptor(SessionDB.prototype, name)?.value);
}
