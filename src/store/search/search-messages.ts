import type { Database } from "better-sqlite3";
import { attemptRoute, rowsOrThrow } from "./attempt-route.js";
import { matchContext, type ContextEntry } from "./match-context.js";
import { probeSearchIndexes } from "./probe-search-indexes.js";
import { runSearch } from "./run-search.js";
import type { SearchMessagesOptions } from "./search-options.js";
import type { SearchIndexes } from "./search-routing.js";
import type { SearchHit } from "./search-rows.js";

/** A row of a message search. */
export interface SearchResultRow extends SearchHit {
  /** The message before, the match and the message after; fewer at the ends of the session. */
  readonly context: readonly ContextEntry[];
}

/**
 * Searches the messages of all sessions, the documented way; one row for each matching message.
 *
 * The list is empty when nothing matches, when the query is blank or cannot be read, and when the database has no
 * full-text index. A database that cannot answer raises instead.
 *
 * @param indexes The indexes that `db` can search; found out by asking it when left out.
 * @throws SearchUnavailableError when the search could not be carried out.
 * @throws SearchPageError for a limit or offset that is no integer.
 */
export function searchMessages(
  db: Database,
  query: string | null,
  options: SearchMessagesOptions = {},
  indexes: SearchIndexes = probeSearchIndexes(db),
): SearchResultRow[] {
  const { hits, route } = runSearch(db, query, options, indexes);
  if (route === "empty") return [];
  const rows = attemptRoute(
    route,
    () => () => hits.map((hit) => ({ ...hit, context: matchContext(db, hit, options) })),
  );
  return [...rowsOrThrow(rows)];
}
