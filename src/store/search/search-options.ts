import { LedgerError } from "../../events/ledger-error.js";
import { strip } from "../values/text.js";

/** The optional parameters of a message search, under their documented names. */
export interface SearchMessagesOptions {
  /** Only sessions of these sources. An empty list matches nothing; null or absent: every source. */
  readonly source_filter?: readonly string[] | null;
  /** No sessions of these sources. */
  readonly exclude_sources?: readonly string[] | null;
  /** Only messages of these roles. Null, absent or empty: every role. */
  readonly role_filter?: readonly string[] | null;
  /** Most rows to return (20). 0 returns none, a negative number all. */
  readonly limit?: number;
  /** Rows to skip (0). */
  readonly offset?: number;
  /** `newest` or `oldest` (in any letter case); anything else orders by relevance. */
  readonly sort?: string | null;
  /** Also messages that were rewound (false). */
  readonly include_inactive?: boolean;
}

/** The order of the rows of an indexed route. */
export type SearchSort = "relevance" | "newest" | "oldest";

/** The conditions of every route as statement parameters; lists are JSON text, null where there is no condition. */
export type SearchFilters = {
  readonly include_inactive: number;
  readonly sources: string | null;
  readonly excluded: string | null;
  readonly roles: string | null;
};

/** Which part of the matching rows is wanted. A negative limit is no limit. */
export type SearchPage = { readonly limit: number; readonly offset: number };

/** A limit or offset that is no whole number. */
export class SearchPageError extends LedgerError {
  constructor(parameter: "limit" | "offset", value: unknown) {
    super(
      "type",
      "SEARCH_PAGE",
      `The search did not run: ${parameter} is ${String(value)}, which is no whole number. Pass an integer.`,
    );
  }
}

/** Reads the conditions out of the options of a search. */
export function searchFilters(options: SearchMessagesOptions): SearchFilters {
  const roles = options.role_filter ?? [];
  return {
    include_inactive: options.include_inactive === true ? 1 : 0,
    sources: listParameter(options.source_filter),
    excluded: listParameter(options.exclude_sources),
    roles: roles.length > 0 ? JSON.stringify(roles) : null,
  };
}

/**
 * Reads limit and offset out of the options of a search.
 *
 * @throws SearchPageError when one of them is no safe integer.
 */
export function searchPage({ limit = 20, offset = 0 }: SearchMessagesOptions): SearchPage {
  if (!Number.isSafeInteger(limit)) throw new SearchPageError("limit", limit);
  if (!Number.isSafeInteger(offset)) throw new SearchPageError("offset", offset);
  return { limit, offset: Math.max(offset, 0) };
}

/** Reads the order out of the options of a search. */
export function searchSort({ sort }: SearchMessagesOptions): SearchSort {
  const name = typeof sort === "string" ? strip(sort).toLowerCase() : "";
  return name === "newest" || name === "oldest" ? name : "relevance";
}

function listParameter(values: readonly string[] | null | undefined): string | null {
  return values == null ? null : JSON.stringify(values);
}
