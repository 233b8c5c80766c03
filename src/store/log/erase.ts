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

/** An event that holds content of a certain message. */
interface Carrier {
  readonly position: number;
  /** 1 for an event about this message alone, 0 for one that may hold others too. */
  readonly alone: number;
}

/** The events of a session that hold content of a message; its place alone, as an erasure leaves it, is none. */
export function carriersOf(db: Database, streamId: string, messageId: number): Carrier[] {
  return statement<Carrier>(db, CARRIERS).all({ stream_id: streamId, message_id: messageId });
}

/** Erases the payloads of single events. See {@link eraseStream}. */
export function eraseEvents(db: Database, positions: readonly number[]): void {
  const erase = statement(db, "UPDATE ledger_events SET payload = NULL, salt = NULL WHERE position = ?");
  for (const position of positions) erase.run(position);
}

/** Whether the log still has text of messages of this session. */
export function holdsMessageText(db: Database, streamId: string): boolean {
  const sql = `SELECT 1 FROM ledger_events WHERE stream_id = ? AND ${CARRIES_MESSAGES}
      AND NOT (type = 'TranscriptRewritten' AND json_array_length(payload, '$.messages') = 0) LIMIT 1`;
  return statement(db, sql).get(streamId) !== undefined;
}

const CARRIES_MESSAGES = `payload IS NOT NULL AND (
  type IN ('MessageAppended', 'TranscriptRewritten', 'MessageAnnotated', 'MessageErased')
  OR (type = 'RowCaptured' AND json_extract(payload, '$.table') = 'messages'))`;

// Whether the messages of a payload include this one with more than an erasure leaves of it.
const AMONG_OTHERS = `EXISTS (
  SELECT 1 FROM json_each(payload, '$.messages') AS message, json_each(message.value) AS field
   WHERE message.value ->> '$.id' = @message_id
     AND field.key NOT IN ('id', 'role', 'timestamp', 'tool_call_id', 'token_count', 'platform_message_id', 'observed',
                           'active', 'compacted')
     AND (field.key, field.value) NOT IN (VALUES ('content', '[erased]'), ('display_kind', 'erased')))`;

const CARRIERS = `
  SELECT position, type IN ('MessageAppended', 'MessageAnnotated') AS alone FROM ledger_events
   WHERE stream_id = @stream_id AND payload IS NOT NULL AND CASE type
     WHEN 'MessageAppended' THEN json_extract(payload, '$.message.id') = @message_id
     WHEN 'MessageAnnotated' THEN json_extract(payload, '$.message_id') = @message_id
     WHEN 'TranscriptRewritten' THEN ${AMONG_OTHERS}
     WHEN 'MessageErased' THEN ${AMONG_OTHERS}
     WHEN 'RowCaptured' THEN json_extract(payload, '$.table') = 'messages' AND @message_id IN (
       json_extract(payload, '$.key.id'), json_extract(payload, '$.values.id'))
   END
   ORDER BY position`;

/** Whether the store once held this session and erased it; asked of a session that is not there. */
export function wasErased(db: Database, streamId: string): boolean {
  const sql = `SELECT 1 FROM ledger_events
    WHERE stream_id = ? AND type IN ('SessionCreated', 'SessionImported', 'RowCaptured') AND payload IS NULL LIMIT 1`;
  return statement(db, sql).get(streamId) !== undefined;
}
