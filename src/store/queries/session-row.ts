import type { Database } from "better-sqlite3";
import { sessions, type SessionRow } from "../../projections/sessions.js";
import { firstRow } from "../rows.js";

/** The columns of `sessions` for a SELECT, by name: upgraded files have them in another order. */
export const SESSION_COLUMNS = Object.keys(sessions.columns).join(", ");

/** A session as it stands in the table, or null. */
export function sessionRow(db: Database, sessionId: string): SessionRow | null {
  return firstRow<SessionRow>(db, `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?`, sessionId) ?? null;
}
