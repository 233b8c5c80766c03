import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../../rows.js";
import { filterParameters, sessionConditions, type SessionFilters } from "./session-filters.js";

/** What is counted. */
export interface SessionCountOptions extends Omit<SessionFilters, "session_key"> {
  /** Count conversations only: no continuations, no delegates. */
  readonly exclude_children?: boolean | undefined;
}

/** What is counted by source. */
export type SessionCountBySourceOptions = Pick<
  SessionCountOptions,
  "include_archived" | "archived_only" | "exclude_children"
>;

/** How many sessions there are. */
export function sessionCount(db: Database, options: SessionCountOptions = {}): number {
  const parameters = filterParameters(options, options.exclude_children === true);
  const sql = `SELECT count(*) AS sessions FROM sessions s WHERE ${sessionConditions(parameters)}`;
  return firstRow<{ sessions: number }>(db, sql, parameters)?.sessions ?? 0;
}

/** How many sessions there are of each source, the largest first; an empty source counts as `cli`. */
export function sessionCountBySource(db: Database, options: SessionCountBySourceOptions = {}): Record<string, number> {
  const parameters = filterParameters(options, options.exclude_children === true);
  const rows = allRows<{ source: string; sessions: number }>(
    db,
    `SELECT CASE s.source WHEN '' THEN 'cli' ELSE s.source END AS source, count(*) AS sessions
       FROM sessions s WHERE ${sessionConditions(parameters)} GROUP BY 1 ORDER BY sessions DESC, 1`,
    parameters,
  );
  return Object.fromEntries(rows.map((row) => [row.source, row.sessions]));
}

/** A working directory in use. */
export interface SessionDirectory {
  readonly cwd: string;
  readonly sessions: number;
  /** Latest end of one of its sessions, or start of one that has not ended (epoch seconds). */
  readonly last_active: number;
}

/** The working directories of the sessions, in order of the path; blank ones are left out. */
export function distinctSessionCwds(
  db: Database,
  options: { readonly include_archived?: boolean | undefined } = {},
): SessionDirectory[] {
  return allRows<SessionDirectory>(
    db,
    `SELECT cwd, count(*) AS sessions, max(COALESCE(ended_at, started_at)) AS last_active
       FROM sessions WHERE trim(cwd) <> '' AND (archived = 0 OR ?) GROUP BY cwd ORDER BY cwd`,
    options.include_archived === true ? 1 : 0,
  );
}
