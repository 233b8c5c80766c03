import type { Database } from "better-sqlite3";
import { statement } from "../statements.js";
import { isSqliteError } from "./attempt-route.js";
import type { SearchIndexes } from "./search-routing.js";

/**
 * Finds out which full-text indexes a connection can read, by asking each for no rows. `cjk` is always false: it
 * needs a tokenizer that only the opener of the connection knows about.
 *
 * @throws SqliteError when the database cannot be read at all.
 */
export function probeSearchIndexes(db: Database): SearchIndexes {
  return {
    base: answers(db, "SELECT 1 FROM messages_fts LIMIT 0"),
    trigram: answers(db, "SELECT 1 FROM messages_fts_trigram LIMIT 0"),
    cjk: false,
  };
}

function answers(db: Database, sql: string): boolean {
  try {
    statement(db, sql).all();
    return true;
  } catch (error) {
    // No such table, module or tokenizer; anything worse is not an answer to the question.
    if (isSqliteError(error) && error.code === "SQLITE_ERROR") return false;
    throw error;
  }
}
