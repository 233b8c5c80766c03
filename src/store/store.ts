import type { Database } from "better-sqlite3";
import { v7 as uuidv7 } from "uuid";
import { LedgerError, type StoredEvent } from "../events/index.js";
import { documentedProjections, projector, type Projection } from "../projections/index.js";
import { openDatabase, type Durability } from "./connection/open-database.js";
import {
  MaintenanceInTransactionError,
  NotAdoptedError,
  ReadOnlyStoreError,
  StoreClosedError,
} from "./connection/open-errors.js";
import { blockingTimer, retryPause, writeDefaults } from "./connection/retry.js";
import {
  isBusy,
  isDamage,
  isMissingTokenizer,
  isSearchIndexDamage,
  translateSqliteError,
} from "./connection/sqlite-errors.js";
import { TracesRemainError, truncateAtOnce } from "./log/clear-traces.js";
import { SessionBusyError } from "./rules/rule-errors.js";
import {
  damagedSearchParts,
  hasCjkTriggers,
  missingSearchParts,
  setCjkIndexAside,
  setIndexesAside,
} from "./search/index-recovery.js";
import {
  AsynchronousTransactionError,
  openTransaction,
  TransactionSpoiledError,
  type OpenTransaction,
} from "./transaction.js";
import type { WriteTransaction } from "./write-transaction.js";

/** Something a user of the store may want to know, and that is no error. */
export interface Notice {
  /** Stable name, e.g. `maintenance_failed`, `projection_changed`. */
  readonly code: string;
  readonly message: string;
}

/** Options of a store beyond the connection's. */
export interface StoreOptions {
  /** The file; default: the documented location. */
  readonly path?: string | undefined;
  /** Only read; nothing is created or changed. */
  readonly readOnly?: boolean | undefined;
  /** Make the file when it is missing; default true. */
  readonly create?: boolean | undefined;
  /** `full` (default): a commit survives power loss; `normal`: faster, power loss may take the last commits. */
  readonly durability?: Durability | undefined;
  /** The wall clock in epoch seconds; default: the system's. */
  readonly clock?: (() => number) | undefined;
  /** Makes event ids; default: UUIDv7. */
  readonly ids?: (() => string) | undefined;
  /** Process id used in claims and locks; default: this process. */
  readonly pid?: number | undefined;
  /** Seconds a write waits for another process; 0 fails at once. Default: by kind of write. */
  readonly lockPatience?: number | undefined;
  /** Told of what happens beside the answers: degraded search, a slow write. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

/** How patient a write is; see {@link writeDefaults}. */
export type Patience = keyof typeof writeDefaults.patience;

/** What follows a commit: the events that were appended, in order. */
export type CommitListener = (events: readonly StoredEvent[]) => void;

/**
 * The lifetime of an open file: connection, clock, projector and the write loop. A crash at any moment leaves either
 * all of a transaction (its events and their rows) or nothing of it, since both stand in one SQLite transaction.
 */
export class Store {
  readonly db: Database;
  readonly path: string;
  readonly readOnly: boolean;
  readonly clock: () => number;
  readonly pid: number;
  readonly projections: readonly Projection[];
  readonly #hasLog: boolean;
  readonly #ids: () => string;
  readonly #lockPatience: number | undefined;
  readonly #onNotice: (notice: Notice) => void;
  readonly #project: (event: StoredEvent) => void;
  readonly #listeners = new Set<CommitListener>();
  readonly #closeListeners = new Set<() => void>();
  #open: OpenTransaction | null = null;
  #spoiledBy: { readonly error: unknown } | null = null;
  #writes = 0;
  /** Erased words are still in the write-ahead log, since a reader kept it from being emptied. */
  #tracesRemain = false;

  /** Opens the file; see {@link openDatabase} for what is made and what is refused. */
  constructor(options: StoreOptions) {
    const { db, path, readOnly, hasLog } = openDatabase(options);
    this.db = db;
    this.path = path;
    this.readOnly = readOnly;
    this.#hasLog = hasLog;
    this.clock = options.clock ?? ((): number => Date.now() / 1000);
    this.pid = options.pid ?? process.pid;
    this.projections = documentedProjections;
    this.#ids = options.ids ?? uuidv7;
    this.#lockPatience = options.lockPatience;
    this.#onNotice = options.onNotice ?? ((): void => undefined);
    this.#project = projector(this.projections, db);
    if (!readOnly) this.#mendSearch();
  }

  /** Tells the user of the store something that is no error. What the listener throws does not come back from here. */
  notice(notice: Notice): void {
    try {
      this.#onNotice(notice);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  /** Calls `listener` after every commit of this store; returns what ends that. */
  onCommit(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls `listener` when the store is closed; returns what ends that. */
  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => void this.#closeListeners.delete(listener);
  }

  /** Throws {@link StoreClosedError} once the store is closed. */
  requireOpen(): void {
    if (!this.db.open) throw new StoreClosedError(this.path);
  }

  /** Throws {@link NotAdoptedError} for a file of another program, which has no log to read. */
  requireLog(): void {
    this.requireOpen();
    if (!this.#hasLog) throw new NotAdoptedError(this.path, null);
  }

  /**
   * Reads: runs `body` on the connection and turns SQLite's errors into ours.
   */
  read<T>(body: (db: Database) => T): T {
    this.requireOpen();
    try {
      return body(this.db);
    } catch (error) {
      throw translateSqliteError(error, this.path);
    }
  }

  /**
   * Runs `body` in one IMMEDIATE transaction; when it throws, nothing of it remains. A file locked by another process is
   * tried again as {@link retryPause} says; `patience` is the kind of the write, or the most seconds it may wait. Inside
   * another write of this store it becomes part of that one.
   */
  write<T>(body: (tx: WriteTransaction) => T, patience: Patience | number = "routine"): T {
    this.requireOpen();
    if (this.readOnly) throw new ReadOnlyStoreError(this.path);
    if (this.#open !== null) return this.#nested(this.#open, body);
    return this.#retrying(patience, () => this.#attempt(body));
  }

  /**
   * Runs maintenance that brings its own transactions, with the same patience as a write. It must not run inside one.
   */
  maintain<T>(body: (db: Database) => T): T {
    this.requireOpen();
    if (this.readOnly) throw new ReadOnlyStoreError(this.path);
    if (this.#open !== null) throw new MaintenanceInTransactionError(this.path);
    return this.#retrying("routine", () => body(this.db));
  }

  /** Ends the store: empties the write-ahead log and closes the connection. Closing twice is fine. */
  close(): void {
    if (!this.db.open) return;
    for (const listener of [...this.#closeListeners]) this.#quietly(listener);
    this.#closeListeners.clear();
    this.#listeners.clear();
    if (!this.readOnly) this.#quietly(() => this.db.pragma("wal_checkpoint(TRUNCATE)"));
    this.db.close();
  }

  #retrying<T>(patience: Patience | number, work: () => T): T {
    const seconds =
      typeof patience === "number"
        ? Math.min(patience, this.#lockPatience ?? patience)
        : (this.#lockPatience ?? writeDefaults.patience[patience]);
    const timer = blockingTimer();
    let damage: { readonly cause: unknown; mended: boolean } | null = null;
    for (let attempt = 0; ; attempt++) {
      try {
        if (damage?.mended === false) {
          this.#setIndexesAside(damage.cause);
          damage.mended = true;
        }
        return work();
      } catch (error) {
        if (damage === null && this.#isIndexDamage(error)) {
          damage = { cause: error, mended: false };
          continue;
        }
        const limit = waitLimit(error, seconds);
        const pause = limit === null ? null : retryPause(attempt, timer.elapsed(), limit);
        if (pause === null) throw this.#translate(error, timer.elapsed());
        timer.sleep(pause);
      }
    }
  }

  /** Makes the indexes anew where they lack a part: without a trigger, what is written would never be found. */
  #mendSearch(): void {
    try {
      if (hasCjkTriggers(this.db)) this.#retrying("routine", () => this.#setCjkIndexAside());
      const [missing] = missingSearchParts(this.db);
      if (missing === undefined) return;
      this.#retrying("routine", () => this.#setIndexesAside(new Error(`${missing} is missing`)));
    } catch (error) {
      this.db.close();
      throw translateSqliteError(error, this.path);
    }
  }

  /** Damage of a search index, by the error or, where that only says that something is damaged, by looking. */
  #isIndexDamage(error: unknown): boolean {
    return isSearchIndexDamage(error) || (isDamage(error) && damagedSearchParts(this.db).length > 0);
  }

  /** A damaged search index is derived and must not stop a write: it is made anew, and filled again later. */
  #setIndexesAside(cause: unknown): void {
    if (isMissingTokenizer(cause)) {
      this.#setCjkIndexAside();
      return;
    }
    this.db.transaction(() => setIndexesAside(this.db)).immediate();
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.notice({
      code: "search_index_damaged",
      message:
        `The search index of '${this.path}' is damaged (${reason}). Messages are still stored; search is degraded until ` +
        `the index is rebuilt: hermes-ledger rebuild --search`,
    });
  }

  /** Another program made an index with a tokenizer that this process lacks; its triggers would refuse every message. */
  #setCjkIndexAside(): void {
    this.db.transaction(() => setCjkIndexAside(this.db)).immediate();
    this.notice({
      code: "cjk_index_stale",
      message:
        `The index messages_fts_cjk of '${this.path}' needs the tokenizer cjk_unicode61, which is not loaded here. It was ` +
        `marked stale and is no longer kept; search in Chinese, Japanese and Korean goes other ways.`,
    });
  }

  #attempt<T>(body: (tx: WriteTransaction) => T): T {
    this.db.exec("BEGIN IMMEDIATE");
    let result: T;
    let tx: OpenTransaction;
    try {
      this.#open = tx = this.#transaction();
      result = body(tx);
      if (this.#spoiledBy !== null) throw spoiled(this.#spoiledBy.error);
      // A commit now would keep the half that ran before the first await.
      if (isThenable(result)) throw new AsynchronousTransactionError();
      this.requireOpen();
      this.db.exec("COMMIT");
    } catch (error) {
      if (this.db.inTransaction) this.db.exec("ROLLBACK");
      throw error;
    } finally {
      this.#open = null;
      this.#spoiledBy = null;
    }
    this.#committed(tx);
    return result;
  }

  #transaction(): OpenTransaction {
    return openTransaction({ db: this.db, clock: this.clock, newEventId: this.#ids, project: this.#project });
  }

  /**
   * An operation inside an open transaction. What it refuses it refuses before its first write, so nothing has to be
   * undone then; no savepoint is taken, since each would make the full-text indexes write out what they hold. An
   * operation that fails after it wrote spoils the whole transaction instead.
   */
  #nested<T>(outer: OpenTransaction, body: (tx: WriteTransaction) => T): T {
    // SQLite itself ends a transaction when the disk is full; what came after it would be kept without the rest.
    if (this.#spoiledBy !== null) throw spoiled(this.#spoiledBy.error);
    const before = outer.writes();
    try {
      return body(outer);
    } catch (error) {
      if (outer.writes() !== before || !this.db.inTransaction) this.#spoiledBy ??= { error };
      throw error;
    }
  }

  /** What follows a commit never undoes it: failures here are told as notices. */
  #committed(tx: OpenTransaction): void {
    this.#writes += 1;
    for (const work of tx.followUps.values()) this.#quietly(() => this.#retrying("routine", work));
    if (this.#tracesRemain) this.#quietly(() => (this.#tracesRemain = !truncateAtOnce(this.db)));
    else if (this.#writes % writeDefaults.checkpointEvery === 0) {
      this.#quietly(() => this.db.pragma("wal_checkpoint(PASSIVE)"));
    }
    if (tx.appended.length === 0) return;
    for (const listener of [...this.#listeners]) this.#quietly(() => listener(tx.appended));
  }

  #quietly(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      if (error instanceof TracesRemainError) this.#tracesRemain = true;
      const reason = error instanceof Error ? error.message : String(error);
      const code = error instanceof TracesRemainError ? "traces_remain" : "maintenance_failed";
      this.notice({ code, message: `After a write to '${this.path}': ${reason}` });
    }
  }

  #translate(error: unknown, elapsedMs: number): unknown {
    if (error instanceof LedgerError) return error;
    const waited = isBusy(error) ? `Waited ${Math.round(elapsedMs / 100) / 10} s; the file itself is healthy. ` : "";
    return translateSqliteError(error, this.path, `${waited}Nothing was changed.`);
  }
}

/** How long a write that failed with `error` may go on trying, in seconds; null when trying again is no use. */
function waitLimit(error: unknown, patience: number): number | null {
  if (isBusy(error)) return patience;
  if (error instanceof SessionBusyError) return Math.min(patience, writeDefaults.compressionLockWait);
  return null;
}

/** What a spoiled transaction is refused with. Damage of an index passes: it is mended, and the whole is run again. */
function spoiled(cause: unknown): unknown {
  return isSearchIndexDamage(cause) ? cause : new TransactionSpoiledError(cause);
}

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
