import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../projections/sessions.js";
import { allRows } from "../rows.js";
import { SESSION_COLUMNS, sessionRow } from "./session-row.js";

/** Where a hand-off stands; all null where there was none. */
export interface HandoffState {
  /** `pending`, `running`, `completed` or `failed`. */
  readonly state: string | null;
  readonly platform: string | null;
  readonly error: string | null;
}

/** The hand-off of a session; null for an unknown one. */
export function getHandoffState(db: Database, sessionId: string): HandoffState | null {
  const row = sessionRow(db, sessionId);
  if (row === null) return null;
  return { state: row.handoff_state, platform: row.handoff_platform, error: row.handoff_error };
}

/** The sessions that wait to be handed off, the oldest first. */
export function listPendingHandoffs(db: Database): SessionRow[] {
  const sql = `SELECT ${SESSION_COLUMNS} FROM sessions WHERE handoff_state = 'pending' ORDER BY started_at, id`;
  return allRows<SessionRow>(db, sql);
}
