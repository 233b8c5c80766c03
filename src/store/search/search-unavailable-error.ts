import { LedgerError } from "../../events/ledger-error.js";
import type { SearchRoute } from "./search-routing.js";

/** The kinds of {@link SearchUnavailableError}. */
export type SearchUnavailableKind = "locked" | "corrupt" | "engine";

const ADVICE: Record<SearchUnavailableKind, string> = {
  locked: "Another program holds the database; search again when it is done",
  corrupt: "Rebuild the full-text indexes and search again; if that does not help, check the file",
  engine: "See the cause; the search works again when it is gone",
};

/**
 * A search could not be carried out, so nothing is known about what it would have found. Never raised for a query
 * that finds nothing or that is no valid expression.
 *
 * `kind` is `locked` (another connection is in the way), `corrupt` (a damaged index or file) or `engine` (any
 * other failure: I/O, a missing table, a tokenizer that cannot be loaded).
 */
export class SearchUnavailableError extends LedgerError {
  /** The route that failed. */
  readonly route: SearchRoute;
  /** SQLite's name for the failure, e.g. `SQLITE_CORRUPT_VTAB`. */
  readonly sqliteCode: string;

  constructor(kind: SearchUnavailableKind, route: SearchRoute, cause: Error & { readonly code: string }) {
    super(
      kind,
      "SEARCH_UNAVAILABLE",
      `The search (${route}) could not be carried out: ${cause.message} (${cause.code}). ` +
        `Nothing was changed. ${ADVICE[kind]}.`,
      { cause },
    );
    this.route = route;
    this.sqliteCode = cause.code;
  }
}
