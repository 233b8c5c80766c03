import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";

/** Who holds the compression lock of a session at `now` (epoch seconds), or null. */
export function getCompressionLockHolder(db: Database, sessionId: string, now: number): string | null {
  const sql = "SELECT holder FROM compression_locks WHERE session_id = ? AND expires_at >= ?";
  return firstRow<{ holder: string }>(db, sql, sessionId, now)?.holder ?? null;
}
