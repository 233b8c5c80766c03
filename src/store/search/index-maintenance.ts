import { mergeIndexes, vacuum } from "../maintenance/vacuum.js";
import { EngineError } from "../connection/sqlite-errors.js";
import { blockingTimer } from "../connection/retry.js";
import type { Store } from "../store.js";
import { backfillStep, indexBackfill, needsBackfill, repairMarkers } from "./index-backfill.js";

/** What `optimizeFtsStorage` is doing: `indexed` and `total` are ids of messages, `percent` is of them. */
export interface FtsStorageProgress {
  readonly phase: "backfill" | "teardown" | "vacuum" | "done";
  readonly percent: number;
  readonly indexed: number;
  readonly total: number;
}

/** Options of `optimizeFtsStorage`. */
export interface OptimizeFtsStorageOptions {
  /** Called at the beginning and end of a phase, and after each step with more work to do. */
  readonly progress_callback?: ((progress: FtsStorageProgress) => void) | undefined;
  /** Whether to give the free space back at the end; default true. */
  readonly vacuum?: boolean | undefined;
}

/** What `optimizeFtsStorage` did. */
export type FtsStorageResult =
  | { readonly ok: true; readonly vacuumed: boolean | null }
  | { readonly ok: false; readonly reason: "read_only" }
  | { readonly ok: false; readonly reason: "backfill_incomplete"; readonly vacuumed: boolean | null };

/** Whether the store's indexes lack what {@link optimizeFtsStorage} puts right. */
export function ftsOptimizeAvailable(store: Store): boolean {
  return !store.readOnly && store.read(needsBackfill);
}

/** One step of the backfill in a transaction of its own; false when nothing is left to do, or the store is read-only. */
export function ftsRebuildStep(store: Store): boolean {
  if (store.readOnly) {
    store.requireOpen();
    return false;
  }
  return store.maintain((db) => db.transaction(() => backfillStep(db)).immediate());
}

/** Fills the indexes in steps between which others write, then gives free space back. */
export function optimizeFtsStorage(store: Store, options: OptimizeFtsStorageOptions = {}): FtsStorageResult {
  store.requireOpen();
  if (store.readOnly) return { ok: false, reason: "read_only" };
  const tell = (phase: FtsStorageProgress["phase"]): void => {
    const { percent, indexed, total } = store.read(indexBackfill) ?? { percent: 100, indexed: 0, total: 0 };
    options.progress_callback?.({ phase, percent, indexed, total });
  };
  store.maintain((db) => db.transaction(() => repairMarkers(db)).immediate());
  tell("backfill");
  for (let timer = blockingTimer(); ftsRebuildStep(store); timer = blockingTimer()) {
    tell("backfill");
    timer.sleep(stepPause(timer.elapsed()));
  }
  tell("backfill");
  tell("teardown");
  if (store.read(needsBackfill)) return { ok: false, reason: "backfill_incomplete", vacuumed: null };
  const vacuumed = (options.vacuum ?? true) ? vacuumAtEnd(store, tell) : null;
  if (!settle(store)) return { ok: false, reason: "backfill_incomplete", vacuumed };
  tell("done");
  return { ok: true, vacuumed };
}

/** Merges each index into one segment; returns how many. One that cannot be merged is told as a notice. */
export function optimizeFts(store: Store): number {
  return store.maintain((db) => mergeIndexes(store, db));
}

/** A fifth of the time at most goes into steps, so that other processes get to write in between. In milliseconds. */
function stepPause(stepMs: number): number {
  return Math.max(200, 4 * stepMs);
}

/** Whether the space was given back. Not to have it is no reason to call the filled indexes a failure. */
function vacuumAtEnd(store: Store, tell: (phase: "vacuum") => void): boolean {
  tell("vacuum");
  try {
    vacuum(store);
    return true;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    store.notice({ code: "not_vacuumed", message: `After filling the search indexes: ${error.message}` });
    return false;
  }
}

/** Looks once more under the write lock, and marks the layout of the indexes as the current one. */
function settle(store: Store): boolean {
  return store.maintain((db) =>
    db
      .transaction(() => {
        if (needsBackfill(db)) return false;
        db.exec("INSERT OR IGNORE INTO state_meta (key, value) VALUES ('fts_storage_version', '1')");
        db.exec("DELETE FROM state_meta WHERE key = 'fts_optimize_available'");
        return true;
      })
      .immediate(),
  );
}
