import { allRows, firstRow } from "../rows.js";
import { ACCIDENTAL_END_REASONS } from "../rules/session-rules.js";
import { textColumn } from "../values/columns.js";
import type { WriteTransaction } from "../write-transaction.js";

/** Sessions are given up as orphans this many seconds after their start. */
const ORPHAN_AGE = 7 * 86_400;

interface End {
  readonly ended_at: number | null;
  readonly end_reason: string | null;
}

const END = "SELECT ended_at, end_reason FROM sessions WHERE id = ?";

/** Ends a live session. One that has ended keeps its first end; an unknown one is passed over. Emits SessionEnded. */
export function endSession(tx: WriteTransaction, sessionId: string, endReason: string | null): void {
  const end = firstRow<End>(tx.db, END, sessionId);
  if (end?.ended_at === null) appendEnd(tx, sessionId, endReason);
}

/** Makes an ended session live again. Emits SessionReopened. */
export function reopenSession(tx: WriteTransaction, sessionId: string): void {
  const end = firstRow<End>(tx.db, END, sessionId);
  if (end === undefined || (end.ended_at === null && end.end_reason === null)) return;
  tx.append({ type: "SessionReopened", payload: { session_id: sessionId } });
}

/**
 * Ends a session by a deliberate reset: a live one, or one that ended only because its program went away. Returns
 * whether there was one. Emits SessionEnded.
 */
export function promoteToSessionReset(tx: WriteTransaction, sessionId: string, reason: string | null): boolean {
  const end = sessionId === "" ? undefined : firstRow<End>(tx.db, END, sessionId);
  if (end === undefined) return false;
  if (end.ended_at !== null && !ACCIDENTAL_END_REASONS.includes(end.end_reason ?? "")) return false;
  appendEnd(tx, sessionId, reason);
  return true;
}

/**
 * Ends the continuations of compressed sessions that were never taken up: a week old, with messages, without a single
 * call. Returns how many there were. Emits SessionEnded for each.
 */
export function finalizeOrphanedCompressionSessions(tx: WriteTransaction): number {
  const ended_at = tx.now();
  const orphans = allRows<{ id: string }>(tx.db, ORPHANS, ended_at - ORPHAN_AGE);
  for (const { id } of orphans) {
    tx.append({ type: "SessionEnded", payload: { session_id: id, ended_at, end_reason: "orphaned_compression" } });
  }
  return orphans.length;
}

function appendEnd(tx: WriteTransaction, session_id: string, endReason: string | null): void {
  const end_reason = textColumn(endReason, "end_reason");
  tx.append({ type: "SessionEnded", payload: { session_id, ended_at: tx.now(), end_reason } });
}

const ORPHANS = `
  SELECT s.id FROM sessions s JOIN sessions p ON p.id = s.parent_session_id
   WHERE s.api_call_count = 0 AND s.end_reason IS NULL AND s.ended_at IS NULL AND s.started_at < ?
     AND p.end_reason = 'compression' AND p.ended_at IS NOT NULL
     AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)
   ORDER BY s.id`;
