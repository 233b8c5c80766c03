import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, expect } from "vitest";
import { LedgerError, SessionDB, fold, tableRows, type LogEvent } from "../../src/index.js";
import { foldTableNames } from "../../src/projections/fold/index.js";
import { createTables, documentedProjections, exactNumbers, replay, type SqlRow } from "../../src/projections/index.js";
import { Store } from "../../src/store/store.js";
import { toText, type Operation } from "./store-operation.js";

/** What came of a step: it was refused, or it was done and appended so many events. */
export type Outcome = { readonly refused: string } | { readonly events: number };

/** A store after a history. */
export interface LivedHistory {
  readonly path: string;
  readonly db: SessionDB;
  /** What came of each step. */
  readonly outcomes: readonly Outcome[];
  /** Closes the store and removes its file. */
  readonly remove: () => void;
}

/** A process id that no process has: what such a store leaves behind was abandoned. */
const NO_PROCESS = 4_194_311;

/**
 * Runs a history on a new store. Every refusal must leave the file as it was, byte by byte, but for usage that waited
 * and was booked on the way; message ids are never given out again.
 */
export function historyRunner(): (history: readonly Operation[]) => LivedHistory {
  const directory = mkdtempSync(join(tmpdir(), "store-histories-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  let files = 0;
  return (history) => live(join(directory, `${(files += 1)}.db`), history);
}

function live(path: string, history: readonly Operation[]): LivedHistory {
  // The clock steps back now and then: order never hangs on it.
  let time = 1_800_000_000;
  let ticks = 0;
  let opened = 0;
  const options = {
    path,
    durability: "normal",
    lockPatience: 0,
    clock: (): number => (time += (ticks += 1) % 7 === 0 ? -5000 : 90_000.25),
  } as const;
  const open = (): SessionDB => SessionDB.open({ ...options, pid: (opened += 1) % 2 === 1 ? process.pid : NO_PROCESS });
  let db = open();
  let other: Store | undefined;
  let observer = new Sqlite(path, { readonly: true });
  const world = {
    get db(): SessionDB {
      return db;
    },
    reopen: (): void => {
      observer.close();
      db.close();
      db = open();
      observer = new Sqlite(path, { readonly: true });
    },
    wait: (days: number): void => void (time += days * 86_400),
    otherProgram: (): Store => (other ??= new Store(options)),
  };
  const close = (): void => {
    observer.close();
    db.close();
    other?.close();
  };
  try {
    let lastMessage = 0;
    let usageWaits = false;
    const outcomes = history.map((step): Outcome => {
      const text = toText(step);
      const before = { bytes: bytesOf(path), position: db.log.head().position };
      const outcome = outcomeOf(
        step,
        () => step.run(world),
        () => db.log.head().position - before.position,
      );
      if ("refused" in outcome) {
        if (usageWaits)
          expect(
            typesAfter(db, before.position).filter((type) => !USAGE.includes(type)),
            text,
          ).toEqual([]);
        else expect(sameBytes(before.bytes, bytesOf(path)), `${text}: the file is as it was`).toBe(true);
      }
      usageWaits = step.name !== "close" && (usageWaits || text.includes("queueTokenCounts("));
      const given = sequenceOf(observer);
      expect(given, `${text}: message ids never go back`).toBeGreaterThanOrEqual(lastMessage);
      lastMessage = given;
      return outcome;
    });
    expect(db.flushTokenCounts(), "all usage can be booked").toBe(true);
    const remove = (): void => {
      close();
      for (const side of ["", "-wal", "-shm"]) rmSync(`${path}${side}`, { force: true });
    };
    return { path, db, outcomes, remove };
  } catch (error) {
    close();
    throw error;
  }
}

/** What books usage that waited, and makes the session for it. */
const USAGE: readonly string[] = ["SessionCreated", "UsageRecorded"];

function outcomeOf(step: Operation, run: () => unknown, appended: () => number): Outcome {
  try {
    run();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw new Error(`${toText(step)} failed: ${String(error)}`, { cause: error });
    return { refused: error.code };
  }
  return { events: appended() };
}

function typesAfter(db: SessionDB, position: number): string[] {
  return [...db.log.read({ from: position + 1 })].map(({ type }) => type);
}

function bytesOf(path: string): readonly Buffer[] {
  return [path, `${path}-wal`].filter((file) => existsSync(file)).map((file) => readFileSync(file));
}

function sameBytes(before: readonly Buffer[], after: readonly Buffer[]): boolean {
  return before.length === after.length && before.every((bytes, index) => after[index]?.equals(bytes) === true);
}

function sequenceOf(file: Sqlite.Database): number {
  const seq = file.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'messages'").pluck().get();
  return typeof seq === "number" ? seq : 0;
}

/** Every documented row, by table, in order of its key, as text in which storage classes differ. */
export function rowsOf(db: Sqlite.Database): Record<string, string[]> {
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
export function replayed(events: readonly LogEvent[], cut: number): Record<string, string[]> {
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

/** The rows the fold of the events makes, in two steps. */
export function folded(events: readonly LogEvent[], cut: number): Record<string, string[]> {
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
