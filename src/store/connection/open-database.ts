import Database from "better-sqlite3";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { documentedProjections } from "../../projections/index.js";
import { LedgerError } from "../../events/index.js";
import { inspectFile, type FileState } from "./file-state.js";
import { FileAccessError, NotAFilePathError, ReadOnlyFileError } from "./open-errors.js";
import { defaultDatabasePath } from "./location.js";
import { createFile, stampLayout } from "./new-file.js";
import { blockingTimer, retryPause, writeDefaults } from "./retry.js";
import { translateSqliteError } from "./sqlite-errors.js";

/** `full`: a commit survives power loss. `normal`: faster, but power loss may take the last commits. */
export type Durability = "full" | "normal";

/** Where and how to open the database. */
export interface ConnectionOptions {
  /** The file; default: the documented location. */
  readonly path?: string | undefined;
  readonly readOnly?: boolean | undefined;
  /** Make the file when it is missing; default true. */
  readonly create?: boolean | undefined;
  readonly durability?: Durability | undefined;
  /** Seconds to wait for a file that another process holds locked; 0 fails at once. */
  readonly lockPatience?: number | undefined;
}

/** An open connection and what is known of it. */
export interface Connection {
  readonly db: Database.Database;
  readonly path: string;
  readonly readOnly: boolean;
  /** False for a file of another program, opened read-only: its rows can be read, but there is no log. */
  readonly hasLog: boolean;
}

/**
 * Opens the database, making a new file (0600, schema 23, empty log) where there is none. The directory of the default
 * location is made too (0700); another directory must exist. Every refusal leaves the file as it was.
 */
export function openDatabase(options: ConnectionOptions): Connection {
  const path = filePath(options.path ?? defaultDatabasePath());
  const readOnly = options.readOnly ?? false;
  const create = options.create ?? true;
  if (options.path === undefined && create && !readOnly) {
    onFile(dirname(path), () => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }));
  }
  const patience = options.lockPatience ?? writeDefaults.patience.routine;
  const state = patiently(patience, () => onFile(path, () => inspectFile(path, { readOnly, create })));
  // The mode must be right from the first byte on; side files inherit it.
  if (state === "missing") onFile(path, () => closeSync(openSync(path, "a", 0o600)));
  const db = patiently(patience, () => connect(path, state, options));
  return { db, path, readOnly, hasLog: hasLog(db) };
}

/**
 * The path of a file, absolute: a store is opened by it again (to verify, say), wherever the process has gone since. What
 * SQLite takes for a database in memory, or for none, would lose everything that is written.
 */
function filePath(path: string): string {
  if (path === "" || path === ":memory:" || path.startsWith("file:")) throw new NotAFilePathError(path);
  return isAbsolute(path) ? path : resolve(path);
}

/** Runs `work` on the file or directory at `path` and turns the operating system's errors into ours. */
function onFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof LedgerError || !("code" in error)) throw error;
    const denied = error.code === "EACCES" || error.code === "EPERM" || error.code === "EROFS";
    throw denied ? new ReadOnlyFileError(path) : new FileAccessError(path, error);
  }
}

/** Opening waits for a file that another process holds locked, as writing does. */
function patiently<T>(seconds: number, open: () => T): T {
  const timer = blockingTimer();
  for (let attempt = 0; ; attempt++) {
    try {
      return open();
    } catch (error) {
      const busy = error instanceof LedgerError && error.kind === "locked";
      const pause = busy ? retryPause(attempt, timer.elapsed(), seconds) : null;
      if (pause === null) throw error;
      timer.sleep(pause);
    }
  }
}

function connect(path: string, state: FileState, options: ConnectionOptions): Database.Database {
  const readOnly = options.readOnly ?? false;
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { readonly: readOnly, timeout: busyTimeout(options) });
    configure(db, readOnly, options.durability ?? "full");
    if (!readOnly) {
      if (state === "ledger") stampLayout(db);
      else createFile(db, documentedProjections);
    }
    return db;
  } catch (error) {
    db?.close();
    throw translateSqliteError(error, path, "It was left as it is.");
  }
}

/** Milliseconds. Who wants to wait less than SQLite's own timeout does not wait that long in one attempt either. */
function busyTimeout({ lockPatience }: ConnectionOptions): number {
  return Math.min(writeDefaults.busyTimeoutMs, Math.max(0, Math.round(1000 * (lockPatience ?? Infinity))));
}

function hasLog(db: Database.Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'ledger_events'").get() !== undefined;
}

function configure(db: Database.Database, readOnly: boolean, durability: Durability): void {
  // An implicit delete that fires triggers would write to the index twice; the documented files assume OFF.
  db.pragma("recursive_triggers = OFF");
  if (readOnly) return;
  db.pragma("journal_mode = WAL");
  db.pragma(`synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  db.pragma("foreign_keys = ON");
  // Index merges free pages that hold text long before anyone erases anything.
  db.pragma("secure_delete = ON");
}
