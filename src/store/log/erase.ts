import type { Database } from "better-sqlite3";
import { statement } from "../statements.js";

/**
 * Erases the payloads of a stream up to and including `throughPosition`: payload and salt become NULL, header and
 * hash stay, so the chain still verifies and replay skips the events. Returns how many events were erased.
 */
export function eraseStream(db: Database, streamId: string, throughPosition: number): number {
  return statement(
    db,
    `UPDATE ledger_events SET payload = NULL, salt = NULL
      WHERE stream_id = ? AND position <= ? AND payload IS NOT NULL`,
  ).run(streamId, throughPosition).changes;
}

/** Erases the events of a stream that carry message text, up to and including `throughPosition`. */
export function eraseStreamMessages(db: Database, streamId: string, throughPosition: number): number {
  return statement(
    db,
    `UPDATE ledger_events SET payload = NULL, salt = NULL WHERE stream_id = ? AND position <= ? AND ${CARRIES_MESSAGES}`,
  ).run(streamId, throughPosition).changes;
}

/** Whether the log still has text of messages of this session. */
export function holdsMessageText(db: Database, streamId: string): boolean {
  const sql = `SELECT 1 FROM ledger_events WHERE stream_id = ? AND ${CARRIES_MESSAGES}
      AND NOT (type = 'TranscriptRewritten' AND json_array_length(payload, '$.messages') = 0) LIMIT 1`;
  return statement(db, sql).get(streamId) !== undefined;
}

const CARRIES_MESSAGES = `payload IS NOT NULL AND (
  type IN ('MessageAppended', 'TranscriptRewritten', 'MessageAnnotated')
  OR (type = 'RowCaptured' AND json_extract(payload, '$.table') = 'messages'))`;

/** Whether the store once held this session and erased it; asked of a session that is not there. */
export function wasErased(db: Database, streamId: string): boolean {
  const sql = `SELECT 1 FROM ledger_events
    WHERE stream_id = ? AND type IN ('SessionCreated', 'SessionImported', 'RowCaptured') AND payload IS NULL LIMIT 1`;
  return statement(db, sql).get(streamId) !== undefined;
}
