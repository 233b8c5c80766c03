import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { SessionDB } from "../../src/store/session-db.js";
import type { Notice, StoreOptions } from "../../src/store/store.js";

/** A folder for the running test, removed when it ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hermes-ledger-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in a folder of its own, and what happens to its file beside it. */
export interface LedgerFile {
  readonly db: SessionDB;
  readonly path: string;
  readonly folder: string;
  /** What the store told beside its answers. */
  readonly notices: Notice[];
  /** Sets the clock (epoch seconds); it stands at 1000 otherwise. */
  readonly setClock: (now: number) => void;
  /** Another store on the same file, closed when the test ends. */
  readonly another: (options?: StoreOptions) => SessionDB;
  /** Makes a session with the source `cli`. */
  readonly session: (...ids: string[]) => void;
  /** Appends a plain user message and returns its id. */
  readonly say: (sessionId: string, text: string) => number;
}

/** Opens a store for the running test. It waits for nobody unless told to, and is closed when the test ends. */
export function ledgerFile(options: StoreOptions = {}): LedgerFile {
  const folder = temporaryFolder();
  const path = join(folder, "state.db");
  const notices: Notice[] = [];
  let now = 1000;
  const another = (more: StoreOptions = {}): SessionDB => {
    const store = SessionDB.open({ path, clock: () => now, lockPatience: 0, ...options, ...more });
    onTestFinished(() => store.close());
    return store;
  };
  const db = another({ onNotice: (notice) => void notices.push(notice) });
  return {
    db,
    path,
    folder,
    notices,
    another,
    setClock: (time) => void (now = time),
    session: (...ids) => {
      for (const session_id of ids) {
        db.log.append({ type: "SessionCreated", payload: { session_id, fields: { source: "cli" } } });
      }
    },
    say: (session_id, content) => db.appendMessage({ session_id, role: "user", content }),
  };
}

/** Changes the file as a program would that knows nothing of the log: no triggers, no foreign keys, schema writable. */
export function tamper(path: string, sql: string): void {
  const foreign = new Database(path);
  try {
    foreign.unsafeMode(true);
    foreign.pragma("foreign_keys = OFF");
    foreign.pragma("recursive_triggers = OFF");
    foreign.pragma("writable_schema = ON");
    foreign.exec(sql);
  } finally {
    foreign.close();
  }
}

/** Rows of the file as a reader of its own sees them. */
export function rowsOf(path: string, sql: string): unknown[] {
  const reader = new Database(path, { readonly: true });
  try {
    return reader.prepare(sql).raw().all();
  } finally {
    reader.close();
  }
}

/** Everything that the documented tables hold, and the sequences. */
export function tableContents(path: string): Record<string, unknown[]> {
  const tables = rowsOf(
    path,
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND name NOT LIKE 'ledger%' AND name NOT LIKE 'messages_fts%' ORDER BY name`,
  ) as [string][];
  return Object.fromEntries(tables.map(([name]) => [name, rowsOf(path, `SELECT * FROM ${name}`)]));
}

/** SHA-256 of the database file and of its write-ahead log; a log that is not there counts as an empty one. */
export function fileState(path: string): { main: string; log: string } {
  const digest = (file: string): string =>
    createHash("sha256")
      .update(existsSync(file) ? readFileSync(file) : "")
      .digest("hex");
  return { main: digest(path), log: digest(`${path}-wal`) };
}

/** Names of the files in a folder that hold one of these words, in any case, in UTF-8. */
export function filesHolding(folder: string, ...words: string[]): string[] {
  return readdirSync(folder).flatMap((name) => {
    const bytes = readFileSync(join(folder, name)).toString("latin1").toLowerCase();
    return words.filter((word) => bytes.includes(word.toLowerCase())).map((word) => `${name}: ${word}`);
  });
}
