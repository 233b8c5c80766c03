import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";
import { getCompressionTip } from "./compression-tip.js";
import { CONTINUES_SQL } from "./session-markers.js";

/** How many sessions the walk from the tip looks at. */
const MAX_NODES = 32;

/**
 * The session with which work on this one goes on: from its compression tip down along the newest ordinary children,
 * the last that has a message, inactive ones included; the tip where none has. Cycles end at a repetition.
 */
export function resolveResumeSessionId(db: Database, sessionId: string): string {
  const tip = getCompressionTip(db, sessionId);
  const seen = new Set<string>();
  let resumed = tip;
  let node: string | undefined = tip;
  while (node !== undefined && !seen.has(node) && seen.size < MAX_NODES) {
    seen.add(node);
    if (firstRow(db, "SELECT 1 FROM messages WHERE session_id = ? LIMIT 1", node) !== undefined) resumed = node;
    node = firstRow<{ id: string }>(db, NEWEST_CHILD, node)?.id;
  }
  return resumed;
}

const NEWEST_CHILD = `
  SELECT s.id FROM sessions s WHERE s.parent_session_id = ? AND ${CONTINUES_SQL}
   ORDER BY s.started_at DESC, s.id DESC LIMIT 1`;
