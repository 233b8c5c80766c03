import { LedgerError } from "../../events/index.js";
import { EMPTY_SESSIONS_SQL } from "../queries/empty-sessions.js";
import { allRows, firstRow } from "../rows.js";
import { childrenOutside } from "../rules/stored-rows.js";
import type { WriteTransaction } from "../write-transaction.js";
import { eraseSessions, type DeleteOptions } from "./delete-sessions.js";

/** Only ghosts that started this many seconds ago are swept. */
const GHOST_AGE = 86_400;

/** A session that would be swept has a child that would be left without its parent. */
export class GhostWithChildError extends LedgerError {
  readonly childId: string;

  constructor(childId: string) {
    super(
      "constraint",
      "GHOST_WITH_CHILD",
      `An empty session is the parent of session '${childId}'; no session was deleted. Delete that empty session by its id.`,
    );
    this.childId = childId;
  }
}

/**
 * Deletes a session that never came to anything: no title, no message, not even an inactive one, and no child. Returns
 * whether it was one. Emits SessionsDeleted.
 */
export function deleteSessionIfEmpty(tx: WriteTransaction, sessionId: string, options: DeleteOptions = {}): boolean {
  if (firstRow(tx.db, NOTHING_IN_IT, sessionId) === undefined) return false;
  eraseSessions(tx, [sessionId], "if_empty", options);
  return true;
}

/** Deletes the ended, unarchived sessions without messages, titled ones too. Returns how many. Emits SessionsDeleted. */
export function deleteEmptySessions(tx: WriteTransaction, options: DeleteOptions = {}): number {
  const ids = allRows<{ id: string }>(tx.db, `SELECT id FROM ${EMPTY_SESSIONS_SQL} ORDER BY id`).map(({ id }) => id);
  eraseSessions(tx, ids, "empty", options);
  return ids.length;
}

/**
 * Deletes what the terminal interface left behind: ended sessions of a day ago or more, untitled and without messages.
 * Returns how many. Emits SessionsDeleted.
 *
 * @throws GhostWithChildError when one of them has a child that stays; nothing is deleted then
 */
export function pruneEmptyGhostSessions(tx: WriteTransaction, options: DeleteOptions = {}): number {
  const ids = allRows<{ id: string }>(tx.db, GHOSTS, tx.now() - GHOST_AGE).map(({ id }) => id);
  const [child] = ids.length === 0 ? [] : childrenOutside(tx.db, ids);
  if (child !== undefined) throw new GhostWithChildError(child);
  eraseSessions(tx, ids, "ghost", options);
  return ids.length;
}

const NOTHING_IN_IT = `
  SELECT 1 FROM sessions s
   WHERE s.id = ? AND s.title IS NULL
     AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)
     AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = s.id)`;
const GHOSTS = `
  SELECT s.id FROM sessions s
   WHERE s.source = 'tui' AND s.title IS NULL AND s.ended_at IS NOT NULL AND s.started_at < ?
     AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)
   ORDER BY s.id`;
