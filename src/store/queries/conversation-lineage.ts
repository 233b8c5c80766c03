import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";

/** How many sessions a walk over parents may pass. */
const MAX_LINEAGE = 100;

/**
 * A session and those it descends from by parent links of any kind, the oldest first; at most 100. An unknown session
 * is its own lineage, a parent that is gone still counts, and a cycle ends before an id that was there already.
 */
export function lineageRootToTip(db: Database, sessionId: string): string[] {
  const seen = new Set([sessionId]);
  let current = sessionId;
  while (seen.size < MAX_LINEAGE) {
    const parent = firstRow<{ parent_session_id: string | null }>(db, PARENT, current)?.parent_session_id;
    if (!parent || seen.has(parent)) break;
    seen.add(parent);
    current = parent;
  }
  return [...seen].reverse();
}

const PARENT = "SELECT parent_session_id FROM sessions WHERE id = ?";
