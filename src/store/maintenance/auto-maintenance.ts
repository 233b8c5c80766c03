import { archiveStaleSessions } from "../commands/archive-sessions.js";
import { pruneSessions } from "../commands/prune-sessions.js";
import { firstRow } from "../rows.js";
import type { Store } from "../store.js";
import { floatText, toFloat } from "../values/numbers.js";
import { vacuum } from "./vacuum.js";

/** When to prune, and what. */
export interface AutoPruneOptions {
  /** Days of inactivity after which an ended session goes; null: every ended session goes. Default 90. */
  readonly retention_days?: number | null | undefined;
  /** Nothing is done when the last run is not this long ago. Default 24. */
  readonly min_interval_hours?: number | undefined;
  /** Whether to give the space back. Default true. */
  readonly vacuum?: boolean | undefined;
  /** The directory whose transcript files of the deleted sessions go too. */
  readonly sessions_dir?: string | null | undefined;
  /** Space is given back at most once in so many days. Default 30. */
  readonly min_vacuum_interval_days?: number | undefined;
}

/** What a run did. With `error` it stopped there, and what it says before was done. */
export interface AutoPruneResult {
  readonly skipped: boolean;
  readonly pruned: number;
  readonly vacuumed: boolean;
  readonly error?: string;
}

/** When to archive, and what. */
export interface AutoArchiveOptions {
  /** Days of inactivity after which a session is archived. Default 3. */
  readonly idle_days?: number | null | undefined;
  /** Nothing is done when the last run is not this long ago. Default 24. */
  readonly min_interval_hours?: number | undefined;
  /** Default true. */
  readonly exclude_pinned?: boolean | undefined;
}

/** What a run did. */
export interface AutoArchiveResult {
  readonly skipped: boolean;
  readonly archived: number;
  readonly error?: string;
}

/**
 * Prunes old ended sessions and gives their space back, unless it ran not long ago. For a program that starts: it never
 * throws. Each step is a transaction of its own, so a crash between two leaves those before it; the next run goes on.
 */
export function maybeAutoPruneAndVacuum(store: Store, options: AutoPruneOptions = {}): AutoPruneResult {
  const { retention_days = 90, min_interval_hours = 24, sessions_dir, min_vacuum_interval_days = 30 } = options;
  let pruned = 0;
  let vacuumed = false;
  try {
    const now = store.clock();
    if (ranWithin(store, "last_auto_prune", min_interval_hours * 3600, now)) {
      return { skipped: true, pruned, vacuumed };
    }
    pruned = store.write((tx) => pruneSessions(tx, { older_than_days: retention_days, sessions_dir }));
    const wanted = (options.vacuum ?? true) && pruned > 0;
    if (wanted && !ranWithin(store, "last_vacuum", min_vacuum_interval_days * 86_400, now)) {
      vacuumed = tryVacuum(store);
      if (vacuumed) remember(store, "last_vacuum", now);
    }
    remember(store, "last_auto_prune", now);
    return { skipped: false, pruned, vacuumed };
  } catch (error) {
    return { skipped: false, pruned, vacuumed, error: reasonOf(error) };
  }
}

/** Archives sessions that were idle for some days, unless it ran not long ago. It never throws. */
export function maybeAutoArchive(store: Store, options: AutoArchiveOptions = {}): AutoArchiveResult {
  const { idle_days = 3, min_interval_hours = 24, exclude_pinned } = options;
  let archived = 0;
  try {
    const now = store.clock();
    if (ranWithin(store, "last_auto_archive", min_interval_hours * 3600, now)) return { skipped: true, archived };
    archived = store.write((tx) => archiveStaleSessions(tx, idle_days, { exclude_pinned }));
    remember(store, "last_auto_archive", now);
    return { skipped: false, archived };
  } catch (error) {
    return { skipped: false, archived, error: reasonOf(error) };
  }
}

type Marker = "last_auto_prune" | "last_vacuum" | "last_auto_archive";

/** Whether the marker is younger than so many seconds; one that cannot be read never is, one in the future always. */
function ranWithin(store: Store, key: Marker, seconds: number, now: number): boolean {
  const sql = "SELECT value FROM state_meta WHERE key = ?";
  const last = toFloat(store.read((db) => firstRow<{ value: string | null }>(db, sql, key))?.value);
  return last !== null && now - last < seconds;
}

function remember(store: Store, key: Marker, now: number): void {
  store.write((tx) => tx.append({ type: "MetaSet", payload: { key, value: floatText(now) } }));
}

/** Space that is not given back now is given back another time: no reason to stop. */
function tryVacuum(store: Store): boolean {
  try {
    vacuum(store);
    return true;
  } catch (error) {
    store.notice({ code: "vacuum_failed", message: `Space of '${store.path}' not given back: ${reasonOf(error)}` });
    return false;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
