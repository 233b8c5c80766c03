import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Subscription } from "rxjs";
import { SessionDB } from "../../../src/store/session-db.js";
import type { Notice } from "../../../src/store/store.js";
import { seconds, type CaseFile, type GivenMessage, type GivenSession } from "./case-file.js";

/** Where the clock stands when a case does not say. */
const START = seconds("2026-03-02T08:00:00Z");

/**
 * The world of one case: a store in a folder of its own, with a clock that the case sets, the files it exported, and
 * the names it gave to things. The store opens when it is first asked for, so that a refusal to open belongs to the
 * operation that needed it.
 */
export class World {
  /** What exports wrote, by name. */
  readonly files = new Map<string, string>();
  /** Row ids of messages, by the caller's key. */
  readonly keys = new Map<string, number>();
  readonly notices: Notice[] = [];
  /** How often a hook on any event was called. */
  hookCalls = 0;
  /** Positions in the log that the case spoilt. */
  readonly damaged: number[] = [];
  now = START;
  #folder = mkdtempSync(join(tmpdir(), "hermes-ledger-case-"));
  #db: SessionDB | null = null;
  readonly #hooks: Subscription[] = [];
  #before: Map<string, Buffer> | null = null;

  get path(): string {
    return join(this.#folder, "state.db");
  }

  get db(): SessionDB {
    return (this.#db ??= SessionDB.open({
      path: this.path,
      clock: () => this.now,
      lockPatience: 0,
      onNotice: (notice) => this.notices.push(notice),
    }));
  }

  close(): void {
    for (const hook of this.#hooks.splice(0)) hook.unsubscribe();
    this.#db?.close();
    this.#db = null;
  }

  /** Goes on with an empty store. */
  newStore(): void {
    this.remove();
    this.#folder = mkdtempSync(join(tmpdir(), "hermes-ledger-case-"));
    this.keys.clear();
    this.db.log.head();
  }

  remove(): void {
    this.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  hookOnEveryEvent(): void {
    this.#hooks.push(this.db.events$({ from: "now" }).subscribe(() => void (this.hookCalls += 1)));
  }

  /** Changes the file as nothing in the product would, while the store is closed. */
  tamper(change: (db: Database.Database) => void): void {
    this.close();
    const db = new Database(this.path);
    try {
      db.unsafeMode(true);
      change(db);
      db.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      db.close();
    }
  }

  /** The bytes of every file of the store. */
  bytes(): Map<string, Buffer> {
    return new Map(readdirSync(this.#folder).map((name) => [name, readFileSync(join(this.#folder, name))]));
  }

  /** Notes the files as they are before the operations of the case. */
  noteFiles(): void {
    this.close();
    this.#before = this.bytes();
  }

  /** The names of the files that are not as they were noted, new and missing ones included. */
  changedFiles(): string[] {
    const [before, after] = [this.#before ?? new Map<string, Buffer>(), this.bytes()];
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names].filter((name) => !before.get(name)?.equals(after.get(name) ?? Buffer.from([0])));
  }

  /**
   * Everything that the store says: the rows of the documented tables and the hash chain of the log. Two equal texts are
   * two equal stores. How far index maintenance is does not belong to it.
   */
  dump(): string {
    const db = new Database(this.path, { readonly: true });
    try {
      const lines: string[] = [];
      for (const table of dumpedTables(db)) {
        for (const row of db.prepare(`SELECT * FROM ${table}`).safeIntegers().raw().iterate()) {
          lines.push(`${table} ${JSON.stringify(row, plain)}`);
        }
      }
      return lines.sort().join("\n");
    } finally {
      db.close();
    }
  }

  /** How many rows a statement counts, on a connection of its own. */
  count(sql: string): number {
    const db = new Database(this.path, { readonly: true });
    try {
      return db.prepare<[], number>(sql).pluck().get() ?? 0;
    } finally {
      db.close();
    }
  }
}

function dumpedTables(db: Database.Database): string[] {
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%fts%' ORDER BY 1",
    )
    .pluck()
    .all();
  // Its rows say when projections were last rebuilt, and index maintenance keeps its place in state_meta.
  return tables
    .map((name) => (name === "state_meta" ? "(SELECT key, value FROM state_meta WHERE key NOT LIKE 'fts%')" : name))
    .filter((name) => name !== "ledger_projections");
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** Makes what a case gives, up to its operations: sessions, messages, and then what closes sessions. */
export function setUp(world: World, { config, sessions = [], messages = [], repeat = [] }: CaseFile["given"]): void {
  const all = [...sessions];
  const said = [...messages];
  for (const { count, session, message } of repeat) {
    for (let n = 1; n <= count; n++) {
      if (session !== undefined) all.push(numbered(session, n));
      if (message !== undefined) said.push(numbered(message, n));
    }
  }
  // One transaction: what is given is not what the case is about.
  world.db.transaction(() => {
    for (const session of all) makeSession(world, session);
    for (const message of said) say(world, message.session, message);
    for (const message of said) if (message.undone) undo(world, message.session);
    for (const session of all) finishSession(world, session);
  });
  if (config?.now !== undefined) world.now = seconds(config.now);
}

function numbered<T>(template: T, n: number): T {
  return JSON.parse(JSON.stringify(template).replaceAll("{n}", String(n))) as T;
}

function makeSession(world: World, session: GivenSession): void {
  const { db } = world;
  const { id, source, model, user, chat, thread, directory, parent, link } = session;
  world.now = seconds(session.started_at);
  const markers = { branch: { _branched_from: parent }, helper: { _delegate_from: parent } };
  db.createSession({
    session_id: id,
    source,
    model,
    user_id: user,
    chat_id: chat,
    thread_id: thread,
    cwd: directory,
    parent_session_id: parent,
    ...(link === "branch" || link === "helper" ? { model_config: markers[link] } : {}),
  });
  if (session.provider !== undefined) db.updateSessionBillingRoute(id, session.provider, null);
  if (session.system_prompt !== undefined) db.updateSystemPrompt(id, session.system_prompt);
  if (session.title !== undefined) db.setSessionTitle(id, session.title);
}

/** Appends a message; the clock stands at its time. */
export function say(world: World, session_id: string, message: GivenMessage, expectedVersion?: number): number {
  const { role, content, key, at, tool_calls, tool_call_id, tool_name, reasoning } = message;
  if (at !== undefined) world.now = seconds(at);
  const id = world.db.appendMessage({
    session_id,
    role,
    content,
    tool_calls,
    tool_call_id,
    tool_name,
    reasoning,
    ...(at === undefined ? {} : { timestamp: seconds(at) }),
    ...(key === undefined ? {} : { eventId: key }),
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
  });
  if (key !== undefined) world.keys.set(key, id);
  return id;
}

/** Takes back the last turn of a user. */
export function undo(world: World, session_id: string): void {
  const target = world.db.latestUserMessageRowId(session_id);
  if (target === null) throw new Error(`Session ${session_id} has no turn to take back`);
  world.db.rewindToMessage(session_id, Number(target));
}

function finishSession(world: World, session: GivenSession): void {
  if (session.archived) world.db.setSessionArchived(session.id, true);
  if (session.ended_at === undefined) return;
  world.now = seconds(session.ended_at);
  world.db.endSession(session.id, session.end_reason ?? "user_exit");
}
