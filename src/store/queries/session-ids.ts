import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../rows.js";

/** Ids of all sessions, oldest start first, the same start in order of id. */
export function sessionIds(db: Database): string[] {
  return allRows<{ id: string }>(db, "SELECT id FROM sessions ORDER BY started_at, id").map((row) => row.id);
}

/** When a session started (epoch seconds), or null when there is no such session. */
export function getSessionStart(db: Database, sessionId: string): number | null {
  const row = firstRow<{ started_at: number }>(db, "SELECT started_at FROM sessions WHERE id = ?", sessionId);
  return row?.started_at ?? null;
}
