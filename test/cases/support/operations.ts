import type { MessageRow } from "../../../src/store/messages/message-row.js";
import type { SessionDB } from "../../../src/store/session-db.js";
import type { SearchAnswer } from "../../../src/store/search/search.js";
import type { ImportResult } from "../../../src/store/commands/import-sessions.js";
import type { VerifyReport } from "../../../src/store/audit/verify.js";
import type { GivenMessage, Step } from "./case-file.js";
import { say, undo, type World } from "./world.js";

/** How an operation ended, in the words of the cases. */
export type Outcome =
  "ok" | "stored" | "already-stored" | "conflict" | "refused" | "ambiguous" | "not-found" | "failed" | "interrupted";

/** What an operation answered; which parts there are depends on the operation. */
export interface Answer {
  readonly outcome: Outcome;
  /** What was refused, and why. */
  readonly error?: unknown;
  /** Row id of an appended message. */
  readonly message_id?: number;
  /** The session an operation was about, or led to. */
  readonly session?: string;
  /** What the reference of a resume stands for by itself. */
  readonly requested?: string;
  readonly candidates?: readonly string[];
  readonly shown?: readonly MessageRow[];
  readonly search?: SearchAnswer & { readonly titles: readonly (string | null)[] };
  readonly listed?: readonly string[];
  /** How many sessions a list counts in all. */
  readonly listed_in_all?: number;
  readonly stats?: Stats;
  readonly pruned?: { readonly sessions: readonly string[]; readonly open: number };
  readonly imported?: ImportResult & { readonly messages: number };
  readonly verified?: VerifyReport;
  /** Files that hold the bytes that were looked for. */
  readonly files?: readonly string[];
}

/** What statistics tell; which parts depends on the scope. */
export interface Stats {
  readonly sessions?: number;
  readonly by_source?: Readonly<Record<string, number>>;
  readonly archived?: number;
  readonly messages?: number;
  /** Tokens in and out. */
  readonly total?: number;
  /** The same by session. */
  readonly input?: Readonly<Record<string, number>>;
  /** The same by `model/provider`. */
  readonly by_model?: Readonly<Record<string, number>>;
}

/** Operations that only look: they must change nothing. */
export const LOOKING: ReadonlySet<string> = new Set([
  "show",
  "list",
  "search",
  "stats",
  "doctor",
  "export",
  "compare-files",
  "scan-files",
]);

type Operation<Arguments> = (world: World, step: Step & Arguments) => Answer | Promise<Answer>;

interface OfSession {
  readonly session: string;
}
interface ByReference {
  readonly session?: string;
  readonly reference?: string;
}
interface UsageStep extends OfSession {
  readonly form: "step" | "running-total";
  readonly model?: string;
  readonly provider?: string;
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly reasoning?: number;
}

const OK: Answer = { outcome: "ok" };

const writing = {
  append: (world, { session, seen_version, ...message }) => {
    const before = world.db.log.head().position;
    // A case counts messages; the stream of a session also has the event that made it.
    const expected = seen_version === undefined ? undefined : seen_version + eventsBesideMessages(world, session);
    const message_id = say(world, session, message, expected);
    return { outcome: world.db.log.head().position === before ? "already-stored" : "stored", message_id, session };
  },
  "append-batch": (world, { session, messages }) => {
    world.db.transaction(() => messages.forEach((message) => say(world, session, message)));
    return OK;
  },
  "append-to-each": (world, { role, content }) => {
    world.db.transaction(() =>
      world.db.sessionIds().forEach((session, index) => {
        say(world, session, { role, content: content.replaceAll("{n}", String(index + 1)) });
      }),
    );
    return OK;
  },
  split: (world, { session, continuation, pending, summary }) => {
    const { db } = world;
    const source = db.getSession(session)?.source ?? "";
    db.transaction(() => {
      for (const message of pending) say(world, session, message);
      const handoff = [{ role: "system", content: summary }];
      db.publishCompressionChild(session, continuation, source, handoff, { require_compression_lease: false });
    });
    return OK;
  },
  rename: (world, { session, title, automatic }) => {
    if (automatic) world.db.setAutoTitle(session, title);
    else world.db.setSessionTitle(session, title);
    return OK;
  },
  archive: (world, { session, sessions }) => {
    const ids = session === undefined ? range(sessions ?? "") : [session];
    world.db.transaction(() => ids.forEach((id) => world.db.setSessionArchived(id, true)));
    return OK;
  },
  "switch-model": (world, { session, model, provider }) => {
    world.db.updateSessionModel(session, model);
    world.db.updateSessionBillingRoute(session, provider, null);
    return OK;
  },
  undo: (world, { session, turns }) => {
    for (let n = 0; n < turns; n++) undo(world, session);
    return OK;
  },
  delete: (world, step) =>
    withSession(world, step, (session) => {
      world.db.deleteSession(session);
      return { outcome: "ok", session };
    }),
  prune: (world, { older_than_days, preview }) => {
    const candidates = world.db.listPruneCandidates({ older_than_days }).map(({ id }) => id);
    const open = world.db.countOpenPruneMatches({ older_than_days });
    if (preview) return { outcome: "ok", pruned: { sessions: candidates, open } };
    const before = world.db.sessionIds();
    world.db.pruneSessions({ older_than_days });
    const after = new Set(world.db.sessionIds());
    return { outcome: "ok", pruned: { sessions: before.filter((id) => !after.has(id)), open } };
  },
  erase: (world, { session, key }) => {
    world.db.eraseMessage(session, world.keys.get(key) ?? 0);
    return OK;
  },
  usage: (world, { session, form, model, provider, ...counted }) => {
    world.db.updateTokenCounts(session, {
      model,
      billing_provider: provider,
      input_tokens: counted.input ?? 0,
      output_tokens: counted.output ?? 0,
      cache_read_tokens: counted.cache_read ?? 0,
      cache_write_tokens: counted.cache_write ?? 0,
      reasoning_tokens: counted.reasoning ?? 0,
      api_call_count: 1,
      absolute: form === "running-total",
    });
    return OK;
  },
} satisfies {
  append: Operation<OfSession & GivenMessage & { seen_version?: number }>;
  "append-batch": Operation<OfSession & { messages: GivenMessage[] }>;
  "append-to-each": Operation<{ role: string; content: string }>;
  split: Operation<OfSession & { continuation: string; pending: GivenMessage[]; summary: string }>;
  rename: Operation<OfSession & { title: string; automatic: boolean }>;
  archive: Operation<{ session?: string; sessions?: string }>;
  "switch-model": Operation<OfSession & { model: string; provider: string }>;
  undo: Operation<OfSession & { turns: number }>;
  delete: Operation<ByReference>;
  prune: Operation<{ older_than_days: number; preview?: boolean }>;
  erase: Operation<OfSession & { key: string }>;
  usage: Operation<UsageStep>;
};

const looking = {
  show: (world, step) =>
    withSession(world, step, (session) => {
      const shown = world.db.getMessages(session, { include_inactive: step.with_undone ?? false });
      return { outcome: "ok", session, shown };
    }),
  list: (world, { all = false, source }) => {
    const { db } = world;
    const filter = { source, include_archived: all };
    const rows = db.listSessionsRich({ ...filter, include_children: all, limit: -1 });
    const listed_in_all = db.sessionCount({ ...filter, exclude_children: !all });
    return { outcome: "ok", listed: rows.map(({ id }) => id), listed_in_all };
  },
  search: (world, { query }) => {
    const search = world.db.search(query, { limit: 100 });
    const titles = search.hits.map(({ session_id }) => world.db.getSessionTitle(session_id));
    return { outcome: "ok", search: { ...search, titles } };
  },
  resume: (world, step) =>
    withSession(world, step, (requested) => {
      const session = world.db.resolveResumeSessionId(requested);
      return { outcome: "ok", requested, session, shown: world.db.getMessages(session) };
    }),
  stats: (world, { scope, session = "" }) => ({ outcome: "ok", stats: stats(world, scope, session) }),
  doctor: (world) => {
    const verified = world.db.verify({ deep: true });
    return { outcome: verified.ok ? "ok" : "failed", verified };
  },
} satisfies {
  show: Operation<ByReference & { with_undone?: boolean }>;
  list: Operation<{ all?: boolean; source?: string }>;
  search: Operation<{ query: string }>;
  resume: Operation<ByReference>;
  stats: Operation<{ scope: string; session?: string }>;
  doctor: Operation<unknown>;
};

const moving = {
  export: (world, { to }) => {
    world.files.set(to, JSON.stringify(world.db.exportAll()));
    return OK;
  },
  import: (world, { from }) => {
    const before = world.db.messageCount();
    const imported = world.db.importSessions(exported(world, from));
    const messages = world.db.messageCount() - before;
    return { outcome: imported.ok ? "ok" : "refused", imported: { ...imported, messages } };
  },
  "new-store": (world) => {
    world.newStore();
    return OK;
  },
} satisfies {
  export: Operation<{ to: string }>;
  import: Operation<{ from: string }>;
  "new-store": Operation<unknown>;
};

const caring = {
  open: (world) => {
    world.close();
    world.db.log.head();
    return OK;
  },
  close: (world) => {
    world.close();
    return OK;
  },
  // What a program does to keep a store well without being told what may go. Pruning is never part of it: it is a call
  // of its own.
  maintain: (world) => {
    world.db.finalizeOrphanedCompressionSessions();
    world.db.rebuildFts();
    world.db.vacuum();
    return OK;
  },
  rebuild: (world, { part, interrupt_after_events }) => {
    if (part === "search-index") {
      world.db.rebuildFts();
      return OK;
    }
    if (interrupt_after_events === undefined) {
      world.db.rebuild();
      return OK;
    }
    const interruption = new Error("interrupted");
    try {
      world.db.rebuild({
        onProgress: ({ done }) => {
          if (done >= interrupt_after_events) throw interruption;
        },
      });
    } catch (error) {
      if (error === interruption) return { outcome: "interrupted" };
      throw error;
    }
    throw new Error("The rebuild was over before it was interrupted");
  },
  damage: (world, { part, session = "", position = 0 }) => {
    if (part === "search-index") {
      world.tamper((db) => {
        for (const index of ["messages_fts", "messages_fts_trigram"])
          db.exec(`UPDATE ${index}_data SET block = x'00ff'`);
      });
      return OK;
    }
    const at = messagePositions(world, session)[position - 1] ?? 0;
    world.damaged.push(at);
    world.tamper((db) => {
      db.prepare("UPDATE ledger_events SET payload = substr(payload, 1, 20) WHERE position = ?").run(at);
    });
    return OK;
  },
  "drop-field": (world, { field }) => {
    world.tamper((db) => db.exec(`ALTER TABLE messages DROP COLUMN "${field}"`));
    return OK;
  },
  // The file has the current number: it was made by this version.
  "set-store-version": () => OK,
  "register-hook": (world) => {
    world.hookOnEveryEvent();
    return OK;
  },
  "compare-files": (world) => {
    world.close();
    return { outcome: "ok", files: world.changedFiles() };
  },
  "scan-files": (world, { bytes_of }) => {
    const word = Buffer.from(bytes_of);
    // While the store is open: its side files are there too.
    const holding = [...world.bytes()].filter(([, bytes]) => bytes.includes(word));
    return { outcome: "ok", files: holding.map(([name]) => name) };
  },
} satisfies {
  open: Operation<unknown>;
  close: Operation<unknown>;
  maintain: Operation<unknown>;
  rebuild: Operation<{ part: string; interrupt_after_events?: number }>;
  damage: Operation<{ part: string; session?: string; position?: number }>;
  "drop-field": Operation<{ field: string }>;
  "set-store-version": Operation<{ to: "current" }>;
  "register-hook": Operation<unknown>;
  "compare-files": Operation<unknown>;
  "scan-files": Operation<{ bytes_of: string }>;
};

/** Every operation, by the word that cases have for it. */
export const operations = { ...writing, ...looking, ...moving, ...caring } as unknown as Readonly<
  Record<string, Operation<object> | undefined>
>;

/** Runs `body` on the session that a step names, or says that there is not exactly one. */
function withSession(world: World, step: ByReference, body: (session: string) => Answer): Answer {
  const found = world.db.resolveSessionReference(step.session ?? step.reference ?? "");
  return found.outcome === "ok" ? body(found.session_id) : found;
}

/** Positions in the log of the messages of a session. */
function messagePositions(world: World, session: string): number[] {
  return [...world.db.log.read({ streamId: session, types: ["MessageAppended"] })].map(({ position }) => position);
}

/** What an export wrote, as a list of sessions. */
export function exported(world: World, name: string): unknown[] {
  return JSON.parse(world.files.get(name) ?? "[]") as unknown[];
}

function eventsBesideMessages(world: World, session: string): number {
  return world.db.log.streamVersion(session) - messagePositions(world, session).length;
}

/** The ids of `cli-1 to cli-20`. */
function range(words: string): string[] {
  const [, first = "", from = "", to = ""] = /^(.*?)(\d+) to .*?(\d+)$/.exec(words) ?? [];
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${first}${Number(from) + index}`);
}

function stats({ db }: World, scope: string, session: string): Stats {
  switch (scope) {
    case "session": {
      return { messages: db.messageCount({ session_id: session }), total: tokens(db, [session]) };
    }
    case "family":
      return { total: tokens(db, db.getCompressionLineage(session)) };
    case "family-with-helpers": {
      const family = db.getCompressionLineage(session);
      // What goes with a session is what works for it.
      return { total: tokens(db, new Set(family.flatMap((id) => db.getSessionDeleteTargets(id)))) };
    }
    case "sessions": {
      const input = db.sessionIds().map((id): [string, number] => [id, Number(db.getSession(id)?.input_tokens)]);
      return { input: Object.fromEntries(input) };
    }
    case "by-model": {
      const groups = db.usageByModel();
      return {
        by_model: Object.fromEntries(
          groups.map((group) => [
            `${String(group.model)}/${String(group.billing_provider)}`,
            group.input_tokens + group.output_tokens,
          ]),
        ),
        total: groups.reduce((sum, group) => sum + group.input_tokens + group.output_tokens, 0),
      };
    }
    default: {
      const usage = db.usageTotals();
      return {
        sessions: db.sessionCount({ include_archived: true }),
        by_source: db.sessionCountBySource({ include_archived: true }),
        archived: db.sessionCount({ archived_only: true }),
        messages: db.messageCount(),
        total: usage.input_tokens + usage.output_tokens,
      };
    }
  }
}

function tokens(db: SessionDB, sessions: Iterable<string>): number {
  let total = 0;
  for (const id of sessions) {
    const row = db.getSession(id);
    total += Number(row?.input_tokens) + Number(row?.output_tokens);
  }
  return total;
}

/** Epoch seconds as the cases write them. */
export function isoTime(time: number): string {
  return new Date(time * 1000).toISOString().replace(".000Z", "Z");
}
