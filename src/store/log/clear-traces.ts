import type { Database } from "better-sqlite3";
import { statement } from "../statements.js";

const PAGES_PER_STEP = 500;
const INDEXES = ["messages_fts", "messages_fts_trigram"] as const;

/**
 * After a deletion committed: takes the deleted words out of the full-text indexes, whose older segments still hold
 * them, and empties the write-ahead log. Merging runs in steps of a transaction each, so that other writers get
 * between; a reader that keeps an old snapshot open delays only the last step, the truncation.
 */
export function clearTraces(db: Database): void {
  for (const index of INDEXES) {
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
  db.pragma("wal_checkpoint(TRUNCATE)");
}

function totalChanges(db: Database): number {
  return statement<{ changes: number }>(db, "SELECT total_changes() AS changes").get()?.changes ?? 0;
}
