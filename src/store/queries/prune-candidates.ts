import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../rows.js";
import { PRUNE_CONDITIONS_SQL, pruneParameters, type PruneFilters } from "./prune-filters.js";

/** A session that a prune with the same filters would delete. Times are epoch seconds. */
export interface PruneCandidate {
  readonly id: string;
  readonly source: string;
  readonly title: string | null;
  readonly model: string | null;
  readonly started_at: number;
  /** Time of the newest message, else the start. */
  readonly last_active: number;
  readonly ended_at: number;
  readonly message_count: number | null;
  /** 0 or 1. */
  readonly archived: number;
}

/**
 * The ended sessions that all filters let pass, the longest inactive first; `now` is the clock in epoch seconds.
 *
 * @throws UnknownFilterError, FilterValueError
 */
export function listPruneCandidates(db: Database, filters: PruneFilters, now: number): PruneCandidate[] {
  return allRows<PruneCandidate>(db, CANDIDATES, { ...pruneParameters(filters, now), ended: 1 });
}

/**
 * How many sessions the filters let pass that are kept because they have not ended.
 *
 * @throws UnknownFilterError, FilterValueError
 */
export function countOpenPruneMatches(db: Database, filters: PruneFilters, now: number): number {
  const parameters = { ...pruneParameters(filters, now), ended: 0 };
  return firstRow<{ sessions: number }>(db, `SELECT count(*) AS sessions FROM (${MATCHES})`, parameters)?.sessions ?? 0;
}

const MATCHES = `
  SELECT s.id, s.source, s.title, s.model, s.started_at,
         COALESCE((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at) AS last_active,
         s.ended_at, s.message_count, s.archived
    FROM sessions s
   WHERE (s.ended_at IS NOT NULL) = @ended AND ${PRUNE_CONDITIONS_SQL}`;
const CANDIDATES = `${MATCHES} ORDER BY last_active, s.started_at, s.id`;
