import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../projections/sessions.js";
import { allRows, firstRow } from "../rows.js";
import { LAST_ACTIVE_SQL } from "./last-active.js";
import { CONTINUES_SQL } from "./session-markers.js";
import { sessionRow } from "./session-row.js";

/** How many continuations a walk follows. */
const MAX_HOPS = 100;

/**
 * Where a conversation goes on after compressions: at every step the best continuation of a compressed session, one
 * that was compressed itself before a live one, and that before others; then the one that was active last. An unknown
 * session is its own tip. Cycles end before a repetition.
 */
export function getCompressionTip(db: Database, sessionId: string): string {
  const seen = new Set([sessionId]);
  let tip = sessionId;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const next = firstRow<{ id: string }>(db, BEST_CONTINUATION, tip)?.id;
    if (next === undefined || seen.has(next)) break;
    seen.add(next);
    tip = next;
  }
  return tip;
}

/** The one live continuation of a compressed session; null when there is none or more than one. */
export function findLiveCompressionChild(db: Database, parentSessionId: string): SessionRow | null {
  const [only, another] = allRows<{ id: string }>(db, LIVE_CONTINUATIONS, parentSessionId);
  return only !== undefined && another === undefined ? sessionRow(db, only.id) : null;
}

const CONTINUATIONS = `
  SELECT s.id FROM sessions p JOIN sessions s ON s.parent_session_id = p.id
   WHERE p.id = ? AND p.end_reason = 'compression' AND ${CONTINUES_SQL}`;
const BEST_CONTINUATION = `${CONTINUATIONS}
   ORDER BY CASE WHEN s.end_reason = 'compression' THEN 0 WHEN s.ended_at IS NULL THEN 1 ELSE 2 END,
            ${LAST_ACTIVE_SQL} DESC, s.started_at DESC, s.id DESC
   LIMIT 1`;
const LIVE_CONTINUATIONS = `${CONTINUATIONS} AND s.ended_at IS NULL LIMIT 2`;
