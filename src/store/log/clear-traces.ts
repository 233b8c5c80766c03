import type { Database } from "better-sqlite3";
import { LedgerError } from "../../events/index.js";
import { messagesIndexes } from "../../projections/index.js";
import { dropStaleCjkIndex } from "../search/index-recovery.js";
import { statement } from "../statements.js";

const PAGES_PER_STEP = 500;

/** Erased words are still in the write-ahead log, because a reader of an older state keeps it from being emptied. */
export class TracesRemainError extends LedgerError {
  constructor() {
    super(
      "locked",
      "TRACES_REMAIN",
      "Another reader still looks at the state before an erasure, so that the write-ahead log could not be emptied and " +
        "holds erased text. It is emptied with the first write after that reader has gone, or when the store is closed.",
    );
  }
}

/**
 * After a deletion committed: takes the deleted words out of the full-text indexes, whose older segments still hold
 * them, and empties the write-ahead log. Merging runs in steps of a transaction each, so that other writers get
 * between. Every step leaves fewer pages to merge, so there is a last one. An index of a missing tokenizer cannot be merged
 * and is dropped. May be run again after any failure.
 *
 * @throws TracesRemainError when a reader with an old snapshot keeps the log from being emptied
 */
export function clearTraces(db: Database): void {
  for (const { name } of messagesIndexes) mergeAll(db, name);
  db.transaction(() => dropStaleCjkIndex(db)).immediate();
  if (!truncate(db)) throw new TracesRemainError();
}

/** Empties the write-ahead log unless somebody reads from it, and does not wait for that; returns whether it is empty. */
export function truncateAtOnce(db: Database): boolean {
  const patience = Number(db.pragma("busy_timeout", { simple: true }));
  db.pragma("busy_timeout = 0");
  try {
    return truncate(db);
  } finally {
    db.pragma(`busy_timeout = ${patience}`);
  }
}

function truncate(db: Database): boolean {
  return statement<{ busy: number }>(db, "PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
}

function mergeAll(db: Database, index: string): void {
  const merge = statement(db, `INSERT INTO ${index}(${index}, rank) VALUES ('merge', ?)`);
  // A negative number starts a merge of all segments; positive ones go on with it until nothing is left to do.
  let pages = -PAGES_PER_STEP;
  for (;;) {
    const before = totalChanges(db);
    merge.run(pages);
    if (totalChanges(db) - before < 2) break;
    pages = PAGES_PER_STEP;
  }
}

function totalChanges(db: Database): number {
  return statement<{ changes: number }>(db, "SELECT total_changes() AS changes").get()?.changes ?? 0;
}
