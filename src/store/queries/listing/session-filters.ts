import { escapeLike } from "../../values/text.js";
import { BRANCH_MARKER_SQL, DELEGATE_MARKER_SQL } from "../session-markers.js";

/** Which sessions a list or a count is about. What is left out, null, `''` or an empty list is no filter. */
export interface SessionFilters {
  /** This source; wins over `sources`. */
  readonly source?: string | null | undefined;
  readonly sources?: readonly string[] | null | undefined;
  readonly exclude_sources?: readonly string[] | null | undefined;
  /** Working directory: it and all below it. */
  readonly cwd_prefix?: string | null | undefined;
  /** At least so many messages, by the stored counter. */
  readonly min_message_count?: number | undefined;
  /** Archived sessions too; default false. */
  readonly include_archived?: boolean | undefined;
  /** Archived sessions only; wins over `include_archived`. */
  readonly archived_only?: boolean | undefined;
  /** Only this routing key. */
  readonly session_key?: string | null | undefined;
}

/** Parameters for {@link sessionConditions}. */
export type FilterParameters = Readonly<Record<string, string | number | null>>;

/**
 * The parameters for {@link sessionConditions}. With `hideChildren` continuations and delegates are left out, and
 * branches stay.
 */
export function filterParameters(filters: SessionFilters, hideChildren: boolean): FilterParameters {
  const { source, sources, exclude_sources, min_message_count = 0, session_key } = filters;
  const wanted = source ? [source] : (sources ?? []);
  return {
    sources: wanted.length === 0 ? null : JSON.stringify(wanted),
    exclude_sources: JSON.stringify(exclude_sources ?? []),
    session_key: session_key || null,
    min_message_count: min_message_count > 0 ? min_message_count : null,
    archived: filters.archived_only === true ? 1 : filters.include_archived === true ? null : 0,
    hide_children: hideChildren ? 1 : 0,
    ...directoryParameters(filters.cwd_prefix),
  };
}

/** A directory and what is below it, for {@link IN_DIRECTORY_SQL}; trailing separators do not count. */
export function directoryParameters(path: string | null | undefined): FilterParameters {
  if (!path) return { cwd: null, cwd_below: null, cwd_below_backslash: null };
  const cwd = path.replace(/[/\\]+$/, "") || path;
  const below = escapeLike(cwd);
  return { cwd, cwd_below: `${below}/%`, cwd_below_backslash: `${below}\\\\%` };
}

/** Whether the working directory of the session `s` is @cwd or below it. */
export const IN_DIRECTORY_SQL = `(
  s.cwd = @cwd OR s.cwd LIKE @cwd_below ESCAPE '\\' OR s.cwd LIKE @cwd_below_backslash ESCAPE '\\'
)`;

/**
 * A branch stands for itself: by its marker or, in old files, since its parent was ended by branching. Those are few and
 * gathered once for a query; looking at the parent of every child would read past its system prompt.
 */
const IS_BRANCH_SQL = `(
  ${BRANCH_MARKER_SQL} IS NOT NULL
  OR s.id IN (
    SELECT b.id FROM sessions p JOIN sessions b ON b.parent_session_id = p.id AND b.started_at >= p.ended_at
     WHERE p.end_reason = 'branched'
  )
)`;

/** What every query asks of the session `s`. */
const CONDITIONS = `
      (@hide_children = 0 OR ((s.parent_session_id IS NULL OR ${IS_BRANCH_SQL}) AND ${DELEGATE_MARKER_SQL} IS NULL))
  AND (@sources IS NULL OR s.source IN (SELECT value FROM json_each(@sources)))
  AND s.source NOT IN (SELECT value FROM json_each(@exclude_sources))
  AND (@session_key IS NULL OR s.session_key = @session_key)
  AND (@cwd IS NULL OR ${IN_DIRECTORY_SQL})
  AND (@archived IS NULL OR s.archived = @archived)`;

const WITH_COUNT = `${CONDITIONS}
  AND (SELECT counted.message_count FROM sessions counted WHERE counted.id = s.id) >= @min_message_count`;

/**
 * The conditions on the session `s` of a query: SQL for the given parameters. The message counter is looked up, and only
 * where it is asked for: it is the one column of them that the index for lists does not hold.
 */
export function sessionConditions(parameters: FilterParameters): string {
  return parameters["min_message_count"] === null ? CONDITIONS : WITH_COUNT;
}
