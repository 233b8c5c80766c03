import type { QueryFacts } from "./fts-query-text.js";

/** A way to find messages; the names are those of the documented slow-query log. */
export type SearchRoute = "fts5" | "fts_cjk" | "trigram" | "like_scan";

/** The full-text indexes that a connection can search. Without `base` there is no search at all. */
export interface SearchIndexes {
  /** `messages_fts`, words. */
  readonly base: boolean;
  /** `messages_fts_trigram`, substrings of three characters and more; no tool rows. */
  readonly trigram: boolean;
  /** `messages_fts_cjk`, pairs of CJK characters; no tool rows. */
  readonly cjk: boolean;
}

/**
 * The routes to try for a query, best first. A route that ran is final, even if it found nothing; the next one is
 * for a route that could not be run. Empty when there is nothing to look for or nothing to look in.
 */
export function chooseRoutes(facts: QueryFacts, indexes: SearchIndexes): SearchRoute[] {
  // Quotes around nothing but spaces leave no term; the LIKE scan would return every message.
  if (!indexes.base || facts.raw === "") return [];
  if (!facts.hasCjk) return ["fts5"];
  const routes: SearchRoute[] = [];
  if (indexes.cjk && !facts.wantsTool && !facts.lone) routes.push("fts_cjk");
  if (indexes.trigram && !facts.wantsTool && facts.cjkCharacters >= 3 && !facts.short) routes.push("trigram");
  routes.push("like_scan");
  return routes;
}
