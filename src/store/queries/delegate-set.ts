import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../rows.js";
import { DELEGATE_MARKER_SQL } from "./session-markers.js";

interface Delegate {
  readonly id: string;
  readonly parent_session_id: string | null;
  /** What the marker names. */
  readonly works_for: unknown;
}

/**
 * The sessions that work for these sessions, directly or through one another, in order of their ids; not these
 * themselves. A delegate works for the session that its marker names and for its parent.
 */
export function delegatesOf(db: Database, sessionIds: readonly string[]): string[] {
  const employed = new Map<string, string[]>();
  for (const { id, parent_session_id, works_for } of allRows<Delegate>(db, DELEGATES)) {
    for (const employer of new Set([parent_session_id, works_for])) {
      if (typeof employer !== "string") continue;
      const others = employed.get(employer);
      if (others === undefined) employed.set(employer, [id]);
      else others.push(id);
    }
  }
  const given = new Set(sessionIds);
  const found = new Set<string>();
  const frontier = [...given];
  for (let employer = frontier.pop(); employer !== undefined; employer = frontier.pop()) {
    for (const id of employed.get(employer) ?? []) {
      if (given.has(id) || found.has(id)) continue;
      found.add(id);
      frontier.push(id);
    }
  }
  return [...found].sort(byCodePoints);
}

/** What goes when a session is deleted: itself and the sessions that work for it; `[]` for an unknown session. */
export function getSessionDeleteTargets(db: Database, sessionId: string): string[] {
  if (firstRow(db, "SELECT 1 FROM sessions WHERE id = ?", sessionId) === undefined) return [];
  return [sessionId, ...delegatesOf(db, [sessionId])];
}

function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const DELEGATES = `
  SELECT s.id, s.parent_session_id, ${DELEGATE_MARKER_SQL} AS works_for
    FROM sessions s
   WHERE s.model_config IS NOT NULL AND ${DELEGATE_MARKER_SQL} IS NOT NULL`;
