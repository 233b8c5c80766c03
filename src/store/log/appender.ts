import type { Database } from "better-sqlite3";
import {
  chainHash,
  encodePayload,
  eventDefinition,
  GENESIS_HASH,
  payloadHash,
  type EventMetadata,
  type EventPayloads,
  type EventType,
  type LogEvent,
  type Origin,
  type StoredEvent,
} from "../../events/index.js";
import { newSalt } from "../../events/hash-chain.js";
import { statement } from "../statements.js";
import { DamagedLogError } from "./log-errors.js";
import { EVENT_COLUMNS, toLogEvent, type EventRow } from "./event-row.js";

/** An event ready to be written: complete, validated, with its identity. */
export interface SealedDraft<T extends EventType = EventType> {
  readonly type: T;
  readonly payload: EventPayloads[T];
  readonly event_id: string;
  readonly recorded_at: number;
  readonly origin: Origin;
  readonly metadata: EventMetadata | null;
}

/** The end of the log. */
export interface LogEnd {
  readonly position: number;
  readonly hash: Uint8Array;
}

/**
 * Writes events at the end of the log inside one open transaction. It keeps the end of the log and the versions of the
 * streams it touched, which is sound only while the transaction holds the write lock.
 */
export interface Appender {
  append<T extends EventType>(draft: SealedDraft<T>): StoredEvent<T>;
  streamVersion(streamId: string): number;
  /** The stored event with this id, or undefined. */
  find(eventId: string): LogEvent | undefined;
  end(): LogEnd;
}

/** The end of the log as the file has it. Throws {@link DamagedLogError} when it has no hash. */
export function readLogEnd(db: Database): LogEnd {
  const newest = "SELECT position, hash FROM ledger_events ORDER BY position DESC LIMIT 1";
  const row = statement<Pick<EventRow, "position" | "hash">>(db, newest).get();
  if (row === undefined) return { position: 0, hash: GENESIS_HASH };
  if (row.hash === null) throw new DamagedLogError(row.position);
  return { position: row.position, hash: row.hash };
}

/** The version of a stream: how many events it has. */
export function readStreamVersion(db: Database, streamId: string): number {
  const newest = "SELECT max(stream_version) AS version FROM ledger_events WHERE stream_id = ?";
  return statement<{ version: number | null }>(db, newest).get(streamId)?.version ?? 0;
}

/** Starts an appender for the transaction that is open on `db`. */
export function appender(db: Database): Appender {
  let end = readLogEnd(db);
  const versions = new Map<string, number>();
  const insert = statement(
    db,
    `INSERT INTO ledger_events (${EVENT_COLUMNS}) VALUES (${EVENT_COLUMNS.replace(/\w+/g, "?")})`,
  );
  const streamVersion = (streamId: string): number => {
    let version = versions.get(streamId);
    if (version === undefined) versions.set(streamId, (version = readStreamVersion(db, streamId)));
    return version;
  };
  return {
    streamVersion,
    end: () => end,
    find: (eventId) => {
      const row = statement<EventRow>(db, `SELECT ${EVENT_COLUMNS} FROM ledger_events WHERE event_id = ?`).get(eventId);
      return row === undefined ? undefined : toLogEvent(row);
    },
    append: <T extends EventType>(draft: SealedDraft<T>): StoredEvent<T> => {
      const definition = eventDefinition(draft.type);
      const stream_id = definition.streamOf(draft.payload);
      const header = {
        position: end.position + 1,
        event_id: draft.event_id,
        stream_id,
        stream_version: streamVersion(stream_id) + 1,
        type: draft.type,
        schema_version: definition.version,
        recorded_at: draft.recorded_at,
        origin: draft.origin,
        metadata: draft.metadata === null ? null : JSON.stringify(draft.metadata),
      };
      const payload = encodePayload(draft.payload);
      const salt = newSalt();
      const payload_hash = payloadHash(salt, payload);
      const hash = chainHash(end.hash, header, payload_hash);
      insert.run(
        header.position,
        header.event_id,
        header.stream_id,
        header.stream_version,
        header.type,
        header.schema_version,
        header.recorded_at,
        header.origin,
        header.metadata,
        payload,
        salt,
        payload_hash,
        hash,
      );
      end = { position: header.position, hash };
      versions.set(stream_id, header.stream_version);
      const event = { ...header, metadata: draft.metadata, payload: draft.payload, hash, erased: false };
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- type and payload come from one draft
      return event as unknown as StoredEvent<T>;
    },
  };
}
