import type { Database } from "better-sqlite3";
import { codePointLength } from "../values/text.js";
import { attemptRoute, rowsOrThrow, type RouteResult } from "./attempt-route.js";
import { describeRouting, likeTerms, phraseMatchText, type QueryFacts } from "./fts-query-text.js";
import { gapTerms, indexGap, type IndexGap } from "./index-gap.js";
import { relaxFtsQuery } from "./relax-fts-query.js";
import { sanitizeFtsQuery } from "./sanitize-fts-query.js";
import {
  searchFilters,
  searchPage,
  searchSort,
  type SearchFilters,
  type SearchMessagesOptions,
  type SearchPage,
  type SearchSort,
} from "./search-options.js";
import { chooseRoutes, type SearchIndexes, type SearchRoute } from "./search-routing.js";
import { gapRows, indexedRows, likeRows, type IndexedRoute, type SearchHit } from "./search-rows.js";
import type { SearchUnavailableError } from "./search-unavailable-error.js";

/** What a search found, and how. */
export interface SearchOutcome {
  /** The rows of the page. */
  readonly hits: readonly SearchHit[];
  /** The route that answered; `empty` when the query holds nothing to look for or there is no index at all. */
  readonly route: SearchRoute | "empty";
  /** Why the query text could not be read, null when it could; `hits` is then empty without a search. */
  readonly syntaxProblem: string | null;
  /** The expression that ran instead of the sanitised query because of its punctuation, else null. */
  readonly relaxedTo: string | null;
  /** The words were not found; the hits hold them as parts of other words. */
  readonly substrings: boolean;
  /** Better routes that could not be run and were replaced by `route`. */
  readonly failures: readonly SearchUnavailableError[];
  /** The rows that the indexes do not hold yet and that were scanned instead, null when the indexes are complete. */
  readonly gap: IndexGap | null;
}

/** A search under way: everything its steps read. */
interface Search {
  readonly db: Database;
  readonly sanitized: string;
  readonly facts: QueryFacts;
  readonly indexes: SearchIndexes;
  readonly filters: SearchFilters;
  readonly page: SearchPage;
  readonly sort: SearchSort;
}

/** What the route of the query answered, before the gap and the search for parts of words. */
type Answer = Pick<SearchOutcome, "hits" | "syntaxProblem" | "relaxedTo" | "failures"> & {
  readonly route: SearchRoute;
};

const NOTHING: SearchOutcome = {
  hits: [],
  route: "empty",
  syntaxProblem: null,
  relaxedTo: null,
  substrings: false,
  failures: [],
  gap: null,
};

/**
 * Searches the messages: sanitises the query, takes the best route there is, adds what an unfinished index does not
 * hold, and looks for parts of words when whole words are not found.
 *
 * A query that cannot be read and a query that finds nothing are told apart in the outcome; a database that cannot
 * answer raises.
 *
 * @throws SearchUnavailableError when no route could be carried out.
 * @throws SearchPageError for a limit or offset that is no integer.
 */
export function runSearch(
  db: Database,
  query: string | null,
  options: SearchMessagesOptions,
  indexes: SearchIndexes,
): SearchOutcome {
  const page = searchPage(options);
  const sanitized = sanitizeFtsQuery(query ?? "");
  const facts = describeRouting(sanitized, { roleFilter: options.role_filter });
  const routes = chooseRoutes(facts, indexes);
  if (routes.length === 0)
    return indexes.base || sanitized === "" ? NOTHING : scanEverything(db, sanitized, page, options);

  const filters = searchFilters(options);
  const search: Search = { db, sanitized, facts, indexes, filters, page, sort: searchSort(options) };
  const answer = facts.hasCjk ? searchCjk(search, routes) : searchWords(search);
  if (answer.syntaxProblem !== null) return { ...NOTHING, ...answer };

  const gap = rowsOrThrow(attemptRoute(answer.route, () => () => [indexGap(db)]))[0] ?? null;
  const hits = gap === null ? answer.hits : withGap(search, answer, gap);
  const found = { ...answer, hits, substrings: false, gap };
  return hits.length > 0 ? found : withSubstrings(search, found);
}

/** Without any index: every message is looked at, for all the words. Slow, but what is there is found. */
function scanEverything(
  db: Database,
  sanitized: string,
  page: SearchPage,
  options: SearchMessagesOptions,
): SearchOutcome {
  const terms = gapTerms(sanitized);
  const gap = { after: 0, up_to: Number.MAX_SAFE_INTEGER };
  if (terms.length === 0) return NOTHING;
  const wanted = page.limit < 0 ? page.limit : page.limit + page.offset;
  const rows = rowsOrThrow(attemptRoute("like_scan", () => gapRows(db, terms, gap, searchFilters(options), wanted)));
  return { ...NOTHING, hits: rows.slice(page.offset), route: "like_scan", gap };
}

/** Queries without CJK: the words, read as typed or, where FTS5 refuses that, with the punctuation quoted. */
function searchWords(search: Search): Answer {
  const typed = matchWords(search, search.sanitized);
  const answer = { route: "fts5", hits: [], syntaxProblem: null, relaxedTo: null, failures: [] } as const;
  if (typed.kind !== "syntax") return { ...answer, hits: rowsOrThrow(typed) };
  const relaxedTo = relaxFtsQuery(search.sanitized);
  if (relaxedTo === search.sanitized) return { ...answer, syntaxProblem: typed.message };
  if (relaxedTo === "") return answer;
  const relaxed = matchWords(search, relaxedTo);
  if (relaxed.kind === "syntax") return { ...answer, syntaxProblem: relaxed.message };
  return { ...answer, relaxedTo, hits: rowsOrThrow(relaxed) };
}

function matchWords(search: Search, match: string, page = search.page): RouteResult<SearchHit> {
  // FTS5 takes a leading star for a command to itself.
  if (match.startsWith("*")) return { kind: "syntax", message: "the query starts with a star" };
  return attemptRoute("fts5", () => indexedRows(search.db, "fts5", match, search.filters, page, search.sort));
}

/** Queries with CJK: the first route that runs. */
function searchCjk(search: Search, routes: readonly SearchRoute[]): Answer {
  const failures: SearchUnavailableError[] = [];
  for (const route of routes) {
    const result = route === "like_scan" ? scanLike(search) : matchPhrases(search, route);
    if (result.kind === "rows") return { route, hits: result.rows, syntaxProblem: null, relaxedTo: null, failures };
    if (result.kind === "failed") failures.push(result.error);
  }
  // The scan is always the last route and knows no syntax, so what stopped it is a failure.
  throw failures.at(-1) ?? new Error(`no route answered the query ${JSON.stringify(search.sanitized)}`);
}

function matchPhrases({ db, facts, filters, page, sort }: Search, route: IndexedRoute): RouteResult<SearchHit> {
  return attemptRoute(route, () => indexedRows(db, route, phraseMatchText(facts.raw), filters, page, sort));
}

function scanLike({ db, facts, filters, page }: Search): RouteResult<SearchHit> {
  return attemptRoute("like_scan", () => likeRows(db, likeTerms(facts.raw), filters, page));
}

function withGap(search: Search, { hits, relaxedTo }: Answer, gap: IndexGap): readonly SearchHit[] {
  const { limit } = search.page;
  const terms = gapTerms(relaxedTo ?? search.sanitized);
  if (terms.length === 0 || (limit >= 0 && hits.length >= limit)) return hits;
  const wanted = limit < 0 ? limit : limit - hits.length;
  const missed = rowsOrThrow(attemptRoute("like_scan", () => gapRows(search.db, terms, gap, search.filters, wanted)));
  const known = new Set(hits.map((hit) => hit.id));
  return [...hits, ...missed.filter((hit) => !known.has(hit.id))];
}

/** Words that are nowhere: the same words as parts of others, from the indexes that can find them. */
function withSubstrings(search: Search, found: SearchOutcome): SearchOutcome {
  const { facts, indexes } = search;
  if (facts.hasCjk || facts.wantsTool || isPastTheEnd(search, found)) return found;
  const routes: IndexedRoute[] = [];
  if (indexes.cjk) routes.push("fts_cjk");
  if (indexes.trigram && facts.terms.length > 0 && facts.terms.every((term) => codePointLength(term) >= 3)) {
    routes.push("trigram");
  }
  for (const route of routes) {
    const result = matchPhrases(search, route);
    const hits = result.kind === "syntax" ? [] : rowsOrThrow(result);
    if (hits.length > 0) return { ...found, hits, route, substrings: true };
  }
  return found;
}

/** Whether the page is empty only because it lies behind the last hit. */
function isPastTheEnd(search: Search, found: SearchOutcome): boolean {
  if (search.page.offset === 0 || search.page.limit === 0) return false;
  const first = matchWords(search, found.relaxedTo ?? search.sanitized, { limit: 1, offset: 0 });
  return first.kind === "rows" && first.rows.length > 0;
}
