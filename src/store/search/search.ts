import type { Database } from "better-sqlite3";
import { attemptRoute, rowsOrThrow } from "./attempt-route.js";
import { describeRouting, likeTerms, phraseMatchText } from "./fts-query-text.js";
import { matchContext } from "./match-context.js";
import { probeSearchIndexes } from "./probe-search-indexes.js";
import { runSearch, type SearchOutcome } from "./run-search.js";
import { sanitizeFtsQuery } from "./sanitize-fts-query.js";
import type { SearchResultRow } from "./search-messages.js";
import { searchFilters, type SearchMessagesOptions } from "./search-options.js";
import { countIndexed, countLike } from "./search-rows.js";
import type { SearchIndexes, SearchRoute } from "./search-routing.js";

/** A search with all that is known about it. */
export interface SearchAnswer {
  /** The rows of the page, as a message search gives them. */
  readonly hits: readonly SearchResultRow[];
  /** How many messages match in all. */
  readonly total: number;
  /** Which way the answer was found; `empty` when there was nothing to look for. */
  readonly route: SearchRoute | "empty";
  /** Whether something kept the search from its best: an index that is missing, damaged or not complete. */
  readonly degraded: boolean;
  /** What a person should know about the answer, or null. */
  readonly notice: string | null;
}

/**
 * Searches the messages of all sessions and says how it went: how many match, which way they were found, and whether
 * the indexes are complete. A query that cannot be read is told in `notice`, not as "nothing found".
 *
 * @throws SearchUnavailableError when the search could not be carried out; SearchPageError for a wrong limit or offset
 */
export function search(
  db: Database,
  query: string | null,
  options: SearchMessagesOptions = {},
  indexes: SearchIndexes = probeSearchIndexes(db),
): SearchAnswer {
  const outcome = runSearch(db, query, options, indexes);
  const notice = noticeOf(outcome, indexes);
  const degraded = outcome.gap !== null || outcome.failures.length > 0 || !indexes.base || !indexes.trigram;
  if (outcome.route === "empty") return { hits: [], total: 0, route: "empty", degraded, notice };
  const context = attemptRoute(
    outcome.route,
    () => () => outcome.hits.map((hit) => ({ ...hit, context: matchContext(db, hit, options) })),
  );
  const hits = rowsOrThrow(context);
  return { hits, total: totalOf(db, query, options, indexes, outcome), route: outcome.route, degraded, notice };
}

function totalOf(
  db: Database,
  query: string | null,
  options: SearchMessagesOptions,
  indexes: SearchIndexes,
  outcome: SearchOutcome,
): number {
  const { limit = 20, offset = 0 } = options;
  const { hits, route } = outcome;
  // A page that is not full is the last one.
  if (hits.length > 0 && (limit < 0 || hits.length < limit)) return Math.max(offset, 0) + hits.length;
  if (outcome.gap !== null) return runSearch(db, query, { ...options, limit: -1, offset: 0 }, indexes).hits.length;
  const filters = searchFilters(options);
  const sanitized = sanitizeFtsQuery(query ?? "");
  const { raw } = describeRouting(sanitized);
  if (outcome.syntaxProblem !== null || route === "empty") return 0;
  if (route === "like_scan") return countLike(db, likeTerms(raw), filters);
  const match = route === "fts5" ? (outcome.relaxedTo ?? sanitized) : phraseMatchText(raw);
  return match === "" ? 0 : countIndexed(db, route, match, filters);
}

function noticeOf(outcome: SearchOutcome, indexes: SearchIndexes): string | null {
  if (outcome.route === "empty") return "Nothing to search for.";
  if (outcome.syntaxProblem !== null) return `The query could not be read (${outcome.syntaxProblem}).`;
  if (!indexes.base) {
    return "There is no search index; every message was looked at. Make it anew: hermes-ledger rebuild --search";
  }
  if (outcome.gap !== null) {
    return "The search index is not complete; the rest was looked at one by one. Complete it: hermes-ledger rebuild --search";
  }
  if (outcome.failures.length > 0) {
    return `A search index could not be used (${outcome.failures[0]?.message ?? "unknown"}); every message was looked at.`;
  }
  if (outcome.substrings) return "No message has these words; these have them as parts of longer words.";
  return null;
}
