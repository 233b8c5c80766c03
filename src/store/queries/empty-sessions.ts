import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";

/** What follows FROM for the ended, unarchived sessions whose counter says that they have no message. */
export const EMPTY_SESSIONS_SQL = "sessions WHERE message_count = 0 AND ended_at IS NOT NULL AND archived = 0";

/** How many ended, unarchived sessions have no message, going by their counter. */
export function countEmptySessions(db: Database): number {
  return firstRow<{ sessions: number }>(db, `SELECT count(*) AS sessions FROM ${EMPTY_SESSIONS_SQL}`)?.sessions ?? 0;
}
