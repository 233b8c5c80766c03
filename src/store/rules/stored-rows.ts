import type { Database } from "better-sqlite3";
import { statement } from "../statements.js";
import { ParentNotFoundError, SessionNotFoundError } from "./rule-errors.js";

/** What the rules need to know of a session. */
interface SessionState {
  readonly ended_at: number | null;
  readonly end_reason: string | null;
}

/** The end of a session, or undefined when there is no such session. */
export function sessionState(db: Database, sessionId: string): SessionState | undefined {
  return statement<SessionState>(db, "SELECT ended_at, end_reason FROM sessions WHERE id = ?").get(sessionId);
}

/** Throws {@link SessionNotFoundError} when there is no such session. */
export function requireSession(db: Database, sessionId: string): SessionState {
  const state = sessionState(db, sessionId);
  if (state === undefined) throw new SessionNotFoundError(sessionId);
  return state;
}

/** Throws {@link ParentNotFoundError} when a parent is named that does not exist; a session may be its own parent. */
export function requireParent(db: Database, sessionId: string, parent: unknown): void {
  if (parent === null || parent === undefined || parent === sessionId) return;
  const id = typeof parent === "string" ? parent : "(bytes)";
  if (typeof parent !== "string" || sessionState(db, parent) === undefined)
    throw new ParentNotFoundError(sessionId, id);
}

/** The highest message id ever given out; the next message gets the one after it. */
export function messageSequence(db: Database): number {
  const row = statement<{ seq: number }>(db, "SELECT seq FROM sqlite_sequence WHERE name = 'messages'").get();
  return row?.seq ?? 0;
}

/** Ids of the children of sessions that are not among these themselves, in ascending order. */
export function childrenOutside(db: Database, sessionIds: readonly string[]): string[] {
  return statement<{ id: string }>(
    db,
    `SELECT id FROM sessions
      WHERE parent_session_id IN (SELECT value FROM json_each(@ids)) AND id NOT IN (SELECT value FROM json_each(@ids))
      ORDER BY id`,
  )
    .all({ ids: JSON.stringify(sessionIds) })
    .map((row) => row.id);
}
