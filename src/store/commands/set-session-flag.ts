import { allRows } from "../rows.js";
import type { WriteTransaction } from "../write-transaction.js";

/**
 * Archives or pins a session, or the reverse, with the compressed sessions that it continues and with everything below
 * it that continues, branches from or works for a compressed one. Returns whether the session exists. Emits
 * SessionFlagsSet for each session that changes.
 */
export function setSessionFlag(
  tx: WriteTransaction,
  sessionId: string,
  flag: "archived" | "pinned",
  value: boolean,
): boolean {
  const lineage = allRows<{ id: string; archived: number; pinned: number }>(tx.db, LINEAGE, { session_id: sessionId });
  for (const session of lineage) {
    if ((session[flag] !== 0) === value) continue;
    tx.append({ type: "SessionFlagsSet", payload: { session_id: session.id, flag, value } });
  }
  return lineage.length > 0;
}

// UNION drops what was there already, so cycles of parents end.
const LINEAGE = `
  WITH RECURSIVE
  above(id) AS (
    SELECT id FROM sessions WHERE id = @session_id
    UNION
    SELECT p.id FROM above JOIN sessions c ON c.id = above.id JOIN sessions p ON p.id = c.parent_session_id
     WHERE p.end_reason = 'compression'
  ),
  below(id) AS (
    SELECT id FROM sessions WHERE id = @session_id
    UNION
    SELECT c.id FROM below JOIN sessions p ON p.id = below.id JOIN sessions c ON c.parent_session_id = p.id
     WHERE p.end_reason = 'compression'
  )
  SELECT id, archived, pinned FROM sessions WHERE id IN (SELECT id FROM above UNION SELECT id FROM below) ORDER BY id`;
