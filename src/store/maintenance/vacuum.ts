import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../rows.js";
import { isBusy } from "../connection/sqlite-errors.js";
import type { Store } from "../store.js";

/**
 * Gives free space back: merges each full-text index into one segment, empties the write-ahead log and writes the file
 * anew. Returns how many indexes were merged; one that cannot be is told as a notice. It is no transaction, and runs in
 * none: a crash leaves the file as it was, or already written anew.
 *
 * @throws MaintenanceInTransactionError, ReadOnlyStoreError, EngineError
 */
export function vacuum(store: Store): number {
  return store.maintain((db) => {
    const merged = mergeIndexes(store, db);
    db.pragma("wal_checkpoint(TRUNCATE)");
    db.exec("VACUUM");
    db.pragma("wal_checkpoint(TRUNCATE)");
    return merged;
  });
}

/** Merges each full-text index into one segment; returns how many. One that cannot be merged is told as a notice. */
export function mergeIndexes(store: Store, db: Database): number {
  return allRows<{ name: string }>(db, INDEXES).filter(({ name }) => merge(store, db, name)).length;
}

/** Size of the database without its write-ahead log, in bytes; null when it cannot be told. */
export function logicalSizeBytes(db: Database): number | null {
  return firstRow<{ bytes: number }>(db, SIZE)?.bytes ?? null;
}

function merge(store: Store, db: Database, index: string): boolean {
  try {
    db.exec(`INSERT INTO ${index}(${index}) VALUES ('optimize')`);
    return true;
  } catch (error) {
    if (isBusy(error)) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    store.notice({ code: "index_not_merged", message: `Full-text index ${index} of '${store.path}': ${cause}` });
    return false;
  }
}

const INDEXES = `
  SELECT name FROM sqlite_schema
   WHERE type = 'table' AND name IN ('messages_fts', 'messages_fts_trigram', 'messages_fts_cjk')
   ORDER BY name`;
const SIZE = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
