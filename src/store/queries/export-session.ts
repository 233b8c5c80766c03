import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../projections/sessions.js";
import type { MessageRow } from "../messages/message-row.js";
import { getCompressionLineage } from "./compression-lineage.js";
import { getMessages } from "./get-messages.js";
import { sessionRow } from "./session-row.js";

/** A session with its active messages. `message_count` is the stored counter. */
export interface ExportedSession extends SessionRow {
  readonly messages: MessageRow[];
}

/**
 * A conversation that compression cut into several sessions: the last session, with the messages of all of them and
 * their number.
 */
export interface ExportedLineage extends ExportedSession {
  /** Every session of the conversation, the oldest first. */
  readonly segments: ExportedSession[];
  readonly lineage_session_ids: string[];
}

/** A session as an export has it, or null when there is none. */
export function exportSession(db: Database, sessionId: string): ExportedSession | null {
  // One snapshot: the row counts the messages that stand beside it.
  return db.transaction(() => {
    const row = sessionRow(db, sessionId);
    return row === null ? null : { ...row, messages: getMessages(db, sessionId) };
  })();
}

/** The whole conversation that a session belongs to, or null when there is no such session. */
export function exportSessionLineage(db: Database, sessionId: string): ExportedLineage | null {
  // One snapshot: every session of the lineage is there.
  const { ids, segments } = db.transaction(() => {
    const ids = getCompressionLineage(db, sessionId);
    return { ids, segments: ids.flatMap((id) => exportSession(db, id) ?? []) };
  })();
  const last = segments.at(-1);
  if (last === undefined) return null;
  const messages = segments.flatMap((segment) => segment.messages);
  return { ...last, segments, lineage_session_ids: ids, message_count: messages.length, messages };
}
