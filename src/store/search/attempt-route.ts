import type { SearchRoute } from "./search-routing.js";
import { SearchUnavailableError, type SearchUnavailableKind } from "./search-unavailable-error.js";

/** What came of running one route. Only `rows` says something about the messages. */
export type RouteResult<Row> =
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  /** The MATCH text is no valid expression. */
  | { readonly kind: "syntax"; readonly message: string }
  /** The database or the index could not answer. */
  | { readonly kind: "failed"; readonly error: SearchUnavailableError };

/**
 * FTS5's own words for a MATCH text it cannot parse. SQLite gives them the code of every other plain error, so the
 * text decides; words that are not listed count as a failure, never as a query that finds nothing.
 */
const SYNTAX_MESSAGES = [
  /^fts5: syntax error near /,
  /^unterminated string$/,
  /^fts5: parser stack overflow$/,
  /^fts5 expression tree is too large/,
  /^unknown special query: /,
  /^no such column: /,
];

/**
 * Runs a route and sorts what it throws. `prepare` compiles the SQL and gives back what runs it: `no such column` is
 * FTS5's answer to the query `-word` in the second step, but a table that is not as documented in the first.
 *
 * An error that is not SQLite's is a defect and passes through.
 */
export function attemptRoute<Row>(route: SearchRoute, prepare: () => () => readonly Row[]): RouteResult<Row> {
  let compiled = false;
  try {
    const run = prepare();
    compiled = true;
    return { kind: "rows", rows: run() };
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    if (compiled && isSyntaxError(error)) return { kind: "syntax", message: error.message };
    return { kind: "failed", error: new SearchUnavailableError(unavailableKind(error.code), route, error) };
  }
}

/**
 * The rows of a route that has no query text to misread, or whose text is known to be valid.
 *
 * @throws SearchUnavailableError when the route failed.
 */
export function rowsOrThrow<Row>(result: RouteResult<Row>): readonly Row[] {
  if (result.kind === "rows") return result.rows;
  throw result.kind === "failed" ? result.error : new Error(result.message);
}

/** Whether an error was raised by SQLite; its `code` then names the result code, e.g. `SQLITE_BUSY`. */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^SQLITE_/.test(error.code);
}

function isSyntaxError({ code, message }: Error & { readonly code: string }): boolean {
  return code === "SQLITE_ERROR" && SYNTAX_MESSAGES.some((known) => known.test(message));
}

function unavailableKind(code: string): SearchUnavailableKind {
  if (/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(code)) return "locked";
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(code)) return "corrupt";
  return "engine";
}
