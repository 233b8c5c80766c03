import type { Database } from "better-sqlite3";
import { allRows } from "../../rows.js";
import { strip } from "../../values/text.js";
import { LAST_ACTIVE_SQL } from "../last-active.js";
import { listSessionsRich, type ListSessionsOptions } from "./list-sessions-rich.js";
import { activeSessionRows, type ActiveSessionRow, type RichRow } from "./rich-row.js";
import { directoryParameters, IN_DIRECTORY_SQL } from "./session-filters.js";

/** What {@link searchSessions} lists. */
export interface SearchSessionsOptions {
  readonly source?: string | null | undefined;
  /** Page size, default 20; negative for no limit. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Only the project of this key, as {@link workspaceKey} gives it. */
  readonly workspace_key?: string | null | undefined;
}

const SQL = `SELECT s.id FROM sessions s
   WHERE (@source IS NULL OR s.source = @source)
     AND (@cwd IS NULL OR s.git_repo_root = @cwd OR (COALESCE(s.git_repo_root, '') = '' AND ${IN_DIRECTORY_SQL}))
   ORDER BY ${LAST_ACTIVE_SQL} DESC, s.started_at DESC, s.id DESC LIMIT @limit OFFSET @offset`;

/** Sessions by last activity; nothing is hidden: children, delegates and archived ones are there. */
export function searchSessions(db: Database, options: SearchSessionsOptions = {}): ActiveSessionRow[] {
  const { source, limit = 20, offset = 0, workspace_key } = options;
  const parameters = { source: source || null, limit, offset, ...directoryParameters(workspace_key) };
  const ids = allRows<{ id: string }>(db, SQL, parameters).map((row) => row.id);
  return activeSessionRows(db, ids);
}

/**
 * The project a session belongs to: its repository root, else its working directory, without white space around it; null
 * for neither.
 */
export function workspaceKey(row: {
  readonly git_repo_root?: string | null | undefined;
  readonly cwd?: string | null | undefined;
}): string | null {
  return strip(row.git_repo_root ?? "") || strip(row.cwd ?? "") || null;
}

/** What {@link searchSessionsById} considers. */
export type SearchByIdOptions = Pick<
  ListSessionsOptions,
  "limit" | "include_archived" | "source" | "sources" | "exclude_sources"
>;

/**
 * Conversations whose id, or the id of one of their continuations, holds `query`: the exact one first, then those that
 * begin with it, then the others, each by last activity.
 */
export function searchSessionsById(db: Database, query: string, options: SearchByIdOptions = {}): RichRow[] {
  const needle = strip(query).toLowerCase();
  const { limit = 20, include_archived = true } = options;
  if (needle === "" || limit <= 0) return [];
  const candidates = listSessionsRich(db, {
    ...options,
    include_archived,
    order_by_last_active: true,
    id_query: needle,
    // An exact match may stand behind any number of younger partial ones.
    limit: -1,
  });
  return candidates
    .map((row) => ({ row, rank: idRank(row, needle) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ row }) => row);
}

function idRank(row: RichRow, needle: string): number {
  const ids = [row.id, row._lineage_root_id].map((id) => (id ?? "").toLowerCase());
  if (ids.includes(needle)) return 0;
  return ids.some((id) => id.startsWith(needle)) ? 1 : 2;
}
