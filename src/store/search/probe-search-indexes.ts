import type { Database } from "better-sqlite3";
import { statement } from "../statements.js";
import { attemptRoute } from "./attempt-route.js";
import type { SearchIndexes, SearchRoute } from "./search-routing.js";

/**
 * Finds out which full-text indexes a connection can read, by asking each for no rows. `cjk` is always false: it
 * needs a tokenizer that only the opener of the connection knows about.
 *
 * @throws SearchUnavailableError when the database cannot be read at all.
 */
export function probeSearchIndexes(db: Database): SearchIndexes {
  return {
    base: answers(db, "fts5", "SELECT 1 FROM messages_fts LIMIT 0"),
    trigram: answers(db, "trigram", "SELECT 1 FROM messages_fts_trigram LIMIT 0"),
    cjk: false,
  };
}

function answers(db: Database, route: SearchRoute, sql: string): boolean {
  const result = attemptRoute(route, () => {
    const noRows = statement(db, sql);
    return () => noRows.all();
  });
  // A plain error means that the table, its module or its tokenizer is not there; anything worse is no answer.
  if (result.kind === "failed" && result.error.sqliteCode !== "SQLITE_ERROR") throw result.error;
  return result.kind === "rows";
}
