import type { Database } from "better-sqlite3";
import { allRows } from "../../rows.js";
import { escapeLike, strip } from "../../values/text.js";
import { getCompressionTip } from "../compression-tip.js";
import { LAST_ACTIVE_SQL } from "../last-active.js";
import { CONTINUES_SQL } from "../session-markers.js";
import { getSessionRichRow, type RichRow } from "./rich-row.js";
import { filterParameters, sessionConditions, type FilterParameters, type SessionFilters } from "./session-filters.js";

/** Which sessions to list, in which order, and how they are shown. */
export interface ListSessionsOptions extends SessionFilters {
  /** Page size, default 20; negative for no limit. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Continuations and delegates too, each for itself; default false. */
  readonly include_children?: boolean | undefined;
  /** Show a compressed conversation as its newest part; default true. Not with `include_children`. */
  readonly project_compression_tips?: boolean | undefined;
  /** By last activity of the conversation (all its parts) instead of by start. */
  readonly order_by_last_active?: boolean | undefined;
  /** Part of the id of the session or of one of its continuations. Only with `order_by_last_active`. */
  readonly id_query?: string | null | undefined;
  /** Part of title or id of the session or of one of its continuations. Only with `order_by_last_active`. */
  readonly search_query?: string | null | undefined;
  /** Leave the system prompts out. */
  readonly compact_rows?: boolean | undefined;
  /** Append the pinned sessions that are not on the page. */
  readonly include_pinned?: boolean | undefined;
}

const byStartSql = (conditions: string): string => `SELECT s.id FROM sessions s WHERE ${conditions}
  ORDER BY s.started_at DESC, s.id DESC LIMIT @limit OFFSET @offset`;

const pinnedSql = (conditions: string): string => `SELECT s.id,
    COALESCE((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at) AS last_active
  FROM sessions s WHERE s.pinned = 1 AND ${conditions} ORDER BY s.started_at DESC, s.id DESC`;

/** Whether the session `s` matches both queries; a query that is not there matches everything. */
const ID_MATCHES_SQL = `(@id_pattern IS NULL OR s.id LIKE @id_pattern ESCAPE '\\')`;
const SEARCH_MATCHES_SQL = `(
  @pattern IS NULL OR s.id LIKE @pattern ESCAPE '\\' OR COALESCE(s.title LIKE @pattern ESCAPE '\\', 0)
  OR COALESCE(replace(replace(replace(replace(s.title, '-', ''), '_', ''), '.', ''), ' ', '')
                LIKE @squeezed_pattern ESCAPE '\\', 0)
)`;

/**
 * Conversations by the last activity of all their parts. A row of `chain` carries what is asked of it later, so that the
 * index is read and never the table; UNION drops repeats, so a cycle of parents ends. Most sessions were never compressed
 * and need no chain.
 */
const byLastActiveSql = (conditions: string): string => `WITH RECURSIVE
  base AS MATERIALIZED (
    SELECT s.id, s.title, s.end_reason, s.started_at, s.last_activity_at FROM sessions s WHERE ${conditions}
  ),
  continuations AS MATERIALIZED (
    SELECT s.parent_session_id, s.id, s.title, s.end_reason, s.started_at, s.last_activity_at FROM sessions s
     WHERE s.parent_session_id IS NOT NULL AND ${CONTINUES_SQL}
  ),
  chain (root, root_started_at, id, title, end_reason, started_at, last_activity_at) AS (
    SELECT id, started_at, id, title, end_reason, started_at, last_activity_at FROM base
     WHERE end_reason = 'compression'
    UNION
    SELECT c.root, c.root_started_at, n.id, n.title, n.end_reason, n.started_at, n.last_activity_at
      FROM chain c JOIN continuations n ON n.parent_session_id = c.id WHERE c.end_reason = 'compression'
  ),
  conversations (id, started_at, recency) AS (
    SELECT s.id, s.started_at, ${LAST_ACTIVE_SQL} FROM base s
     WHERE s.end_reason IS NOT 'compression' AND ${ID_MATCHES_SQL} AND ${SEARCH_MATCHES_SQL}
    UNION ALL
    SELECT s.root, s.root_started_at, max(${LAST_ACTIVE_SQL}) FROM chain s
     GROUP BY s.root HAVING max(${ID_MATCHES_SQL}) AND max(${SEARCH_MATCHES_SQL})
  )
  SELECT id FROM conversations ORDER BY recency DESC, started_at DESC, id DESC LIMIT @limit OFFSET @offset`;

/**
 * Lists sessions: conversations by default, that is roots and branches without delegates, a compressed one shown as its
 * newest part. Only the rows of the page are read in full.
 */
export function listSessionsRich(db: Database, options: ListSessionsOptions = {}): RichRow[] {
  const { limit = 20, offset = 0, include_children = false, compact_rows } = options;
  const filters = filterParameters(options, !include_children);
  const page = { limit, offset };
  const ids =
    options.order_by_last_active === true ? byLastActive(db, options, filters, page) : byStart(db, filters, page);
  const rows = ids.flatMap((id) => getSessionRichRow(db, id, { compact_rows }) ?? []);
  if (options.include_pinned === true) rows.push(...pinnedRows(db, filters, new Set(ids), compact_rows));
  const projects = (options.project_compression_tips ?? true) && !include_children;
  return projects ? rows.map((row) => atTip(db, row, compact_rows)) : rows;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

function byStart(db: Database, filters: FilterParameters, page: Page): string[] {
  return allRows<{ id: string }>(db, byStartSql(sessionConditions(filters)), { ...filters, ...page }).map(
    (row) => row.id,
  );
}

function byLastActive(db: Database, options: ListSessionsOptions, filters: FilterParameters, page: Page): string[] {
  const idQuery = strip(options.id_query ?? "").toLowerCase();
  const query = strip(options.search_query ?? "").toLowerCase();
  const squeezed = query.replace(/[^\p{L}\p{N}]/gu, "");
  const parameters = {
    ...filters,
    ...page,
    id_pattern: pattern(idQuery),
    pattern: pattern(query),
    squeezed_pattern: pattern(squeezed),
  };
  return allRows<{ id: string }>(db, byLastActiveSql(sessionConditions(filters)), parameters).map((row) => row.id);
}

function pattern(part: string): string | null {
  return part === "" ? null : `%${escapeLike(part)}%`;
}

function pinnedRows(db: Database, filters: FilterParameters, shown: ReadonlySet<string>, compact?: boolean): RichRow[] {
  return allRows<{ id: string; last_active: number }>(db, pinnedSql(sessionConditions(filters)), filters)
    .filter(({ id }) => !shown.has(id))
    .flatMap(({ id, last_active }) => {
      const row = getSessionRichRow(db, id, { compact_rows: compact });
      return row === null ? [] : [{ ...row, last_active }];
    });
}

/** The row of a compressed conversation with what its newest part says of itself. */
function atTip(db: Database, row: RichRow, compact: boolean | undefined): RichRow {
  if (row.end_reason !== "compression") return row;
  const tipId = getCompressionTip(db, row.id);
  const tip = tipId === row.id ? null : getSessionRichRow(db, tipId, { compact_rows: compact });
  if (tip === null) return row;
  return {
    ...row,
    id: tip.id,
    ended_at: tip.ended_at,
    end_reason: tip.end_reason,
    message_count: tip.message_count,
    tool_call_count: tip.tool_call_count,
    title: tip.title,
    last_active: tip.last_active,
    preview: tip.preview,
    model: tip.model,
    ...(tip.system_prompt === undefined ? {} : { system_prompt: tip.system_prompt }),
    cwd: tip.cwd,
    git_branch: tip.git_branch,
    git_repo_root: tip.git_repo_root,
    _lineage_root_id: row.id,
  };
}
