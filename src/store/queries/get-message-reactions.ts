import type { Database } from "better-sqlite3";
import { reactionsOf, type Reaction } from "../messages/reactions.js";
import { firstRow } from "../rows.js";

/** The reactions to a message of a session, also to an inactive one; `[]` where there are none. */
export function getMessageReactions(db: Database, sessionId: string, messageRowId: number): Reaction[] {
  const sql = "SELECT display_metadata FROM messages WHERE id = ? AND session_id = ?";
  return reactionsOf(firstRow<{ display_metadata: unknown }>(db, sql, messageRowId, sessionId)?.display_metadata);
}
