import type { Database } from "better-sqlite3";
import { statement } from "../statements.js";
import { escapeLike } from "../values/text.js";
import type { SearchFilters, SearchPage, SearchSort } from "./search-options.js";
import type { SearchRoute } from "./search-routing.js";

/** A message found by a search, with the columns of its session that callers need. */
export interface SearchHit {
  readonly id: number;
  readonly session_id: string;
  readonly role: string;
  /** The part of the text around the match; null where the message has no text. */
  readonly snippet: string | null;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly tool_name: string | null;
  readonly source: string;
  readonly model: string | null;
  /** When the session began, Unix seconds. */
  readonly session_started: number;
}

/** The routes that search a full-text index. */
export type IndexedRoute = Exclude<SearchRoute, "like_scan">;

const TABLE = { fts5: "messages_fts", trigram: "messages_fts_trigram", fts_cjk: "messages_fts_cjk" } as const;

const FILTERS = `
      (@include_inactive OR m.active = 1 OR m.compacted = 1)
  AND (@sources IS NULL OR s.source IN (SELECT value FROM json_each(@sources)))
  AND (@excluded IS NULL OR s.source NOT IN (SELECT value FROM json_each(@excluded)))
  AND (@roles IS NULL OR m.role IN (SELECT value FROM json_each(@roles)))`;

const columns = (snippet: string): string => `
  m.id, m.session_id, m.role, ${snippet} AS snippet, m.timestamp, m.tool_name,
  s.source, s.model, s.started_at AS session_started`;

// CROSS JOIN keeps the index as the outer loop, and a bare ORDER BY rank is then FTS5's own order: best first, equal
// ranks by id, snippets made only for the rows of the page.
const byRelevance = (table: string): string => `
SELECT ${columns(`snippet(${table}, -1, '>>>', '<<<', '...', 40)`)}
FROM ${table} CROSS JOIN messages m ON m.id = ${table}.rowid CROSS JOIN sessions s ON s.id = m.session_id
WHERE ${table} MATCH @match AND ${FILTERS}
ORDER BY rank LIMIT @limit OFFSET @offset`;

// The page is cut before snippets are made: SQLite would otherwise make one for every match in order to sort them.
const byTime = (table: string, direction: "ASC" | "DESC"): string => `
WITH page AS MATERIALIZED (
  SELECT m.id AS id, m.timestamp AS timestamp, ${table}.rank AS score
  FROM ${table} CROSS JOIN messages m ON m.id = ${table}.rowid CROSS JOIN sessions s ON s.id = m.session_id
  WHERE ${table} MATCH @match AND ${FILTERS}
  ORDER BY m.timestamp ${direction}, score, m.id LIMIT @limit OFFSET @offset
)
SELECT ${columns(`snippet(${table}, -1, '>>>', '<<<', '...', 40)`)}
FROM page CROSS JOIN ${table} ON ${table}.rowid = page.id
  CROSS JOIN messages m ON m.id = page.id CROSS JOIN sessions s ON s.id = m.session_id
WHERE ${table} MATCH @match
ORDER BY page.timestamp ${direction}, page.score, page.id`;

const INDEXED_SQL: Record<IndexedRoute, Record<SearchSort, string>> = {
  fts5: sortedSql(TABLE.fts5),
  trigram: sortedSql(TABLE.trigram),
  fts_cjk: sortedSql(TABLE.fts_cjk),
};

const countSql = (table: string): string => `
SELECT count(*) AS total
FROM ${table} CROSS JOIN messages m ON m.id = ${table}.rowid CROSS JOIN sessions s ON s.id = m.session_id
WHERE ${table} MATCH @match AND ${FILTERS}`;

const INDEXED_COUNT_SQL: Record<IndexedRoute, string> = {
  fts5: countSql(TABLE.fts5),
  trigram: countSql(TABLE.trigram),
  fts_cjk: countSql(TABLE.fts_cjk),
};

const LIKE_SNIPPET = "substr(m.content, max(1, instr(m.content, @anchor) - 40), 120)";

const LIKE_SQL = `
WITH terms AS MATERIALIZED (SELECT value AS pattern FROM json_each(@patterns))
SELECT ${columns(LIKE_SNIPPET)}
FROM messages m JOIN sessions s ON s.id = m.session_id
WHERE ${FILTERS}
  AND EXISTS (
    SELECT 1 FROM terms WHERE m.content LIKE pattern ESCAPE '\\'
      OR m.tool_name LIKE pattern ESCAPE '\\' OR m.tool_calls LIKE pattern ESCAPE '\\')
ORDER BY m.timestamp DESC, m.id DESC LIMIT @limit OFFSET @offset`;

const LIKE_COUNT_SQL = `
WITH terms AS MATERIALIZED (SELECT value AS pattern FROM json_each(@patterns))
SELECT count(*) AS total FROM messages m JOIN sessions s ON s.id = m.session_id
WHERE ${FILTERS}
  AND EXISTS (
    SELECT 1 FROM terms WHERE m.content LIKE pattern ESCAPE '\\'
      OR m.tool_name LIKE pattern ESCAPE '\\' OR m.tool_calls LIKE pattern ESCAPE '\\')`;

const GAP_SQL = `
WITH terms AS MATERIALIZED (SELECT value AS pattern FROM json_each(@patterns))
SELECT ${columns(LIKE_SNIPPET)}
FROM messages m JOIN sessions s ON s.id = m.session_id
WHERE m.id > @after AND m.id <= @up_to AND ${FILTERS}
  AND NOT EXISTS (
    SELECT 1 FROM terms WHERE NOT (coalesce(m.content LIKE pattern ESCAPE '\\', 0)
      OR coalesce(m.tool_name LIKE pattern ESCAPE '\\', 0) OR coalesce(m.tool_calls LIKE pattern ESCAPE '\\', 0)))
ORDER BY m.timestamp DESC, m.id DESC LIMIT @limit`;

/**
 * The messages that a MATCH expression finds in one index. Relevance is FTS5's rank, equal ranks by id; newest and
 * oldest go by the time of the message, then rank, then id. Snippets mark matches with `>>>` and `<<<` and hold at
 * most 40 tokens of the index.
 *
 * Compiles the statement and returns what runs it.
 *
 * @throws SqliteError from either step; for an invalid expression from the second.
 */
export function indexedRows(
  db: Database,
  route: IndexedRoute,
  match: string,
  filters: SearchFilters,
  page: SearchPage,
  sort: SearchSort,
): () => SearchHit[] {
  return hits(db, INDEXED_SQL[route][sort], { match, ...filters, ...page });
}

/**
 * The messages that hold any of the terms as a substring of their text, tool name or tool calls (letter case of
 * ASCII ignored), newest first. The snippet is 120 characters around the first term, without marks.
 *
 * Compiles the statement and returns what runs it.
 *
 * @throws SqliteError from either step.
 */
export function likeRows(
  db: Database,
  terms: readonly string[],
  filters: SearchFilters,
  page: SearchPage,
): () => SearchHit[] {
  return hits(db, LIKE_SQL, { ...likeParameters(terms), ...filters, ...page });
}

/**
 * The messages with `after < id <= up_to` that hold every one of the terms as a substring of one of the three
 * columns, newest first: what an index that is still being filled cannot find.
 *
 * Compiles the statement and returns what runs it.
 *
 * @throws SqliteError from either step.
 */
export function gapRows(
  db: Database,
  terms: readonly string[],
  range: { readonly after: number; readonly up_to: number },
  filters: SearchFilters,
  limit: number,
): () => SearchHit[] {
  return hits(db, GAP_SQL, { ...likeParameters(terms), ...range, ...filters, limit });
}

/** How many messages {@link indexedRows} finds in all. @throws SqliteError */
export function countIndexed(db: Database, route: IndexedRoute, match: string, filters: SearchFilters): number {
  return counted(db, INDEXED_COUNT_SQL[route], { match, ...filters });
}

/** How many messages {@link likeRows} finds in all. @throws SqliteError */
export function countLike(db: Database, terms: readonly string[], filters: SearchFilters): number {
  return counted(db, LIKE_COUNT_SQL, { patterns: likeParameters(terms).patterns, ...filters });
}

function counted(db: Database, sql: string, parameters: Record<string, unknown>): number {
  return statement<{ readonly total: number }>(db, sql).safeIntegers(false).get(parameters)?.total ?? 0;
}

function sortedSql(table: string): Record<SearchSort, string> {
  return { relevance: byRelevance(table), newest: byTime(table, "DESC"), oldest: byTime(table, "ASC") };
}

function likeParameters(terms: readonly string[]): { readonly patterns: string; readonly anchor: string } {
  return { patterns: JSON.stringify(terms.map((term) => `%${escapeLike(term)}%`)), anchor: terms[0] ?? "" };
}

function hits(db: Database, sql: string, parameters: Record<string, unknown>): () => SearchHit[] {
  const rows = statement<Omit<SearchHit, "snippet"> & { readonly snippet: unknown }>(db, sql).safeIntegers(false);
  // A message stored as bytes has no text to cut a snippet from.
  const text = (snippet: unknown): string | null => (typeof snippet === "string" ? snippet : null);
  return () => rows.all(parameters).map((row) => ({ ...row, snippet: text(row.snippet) }));
}
