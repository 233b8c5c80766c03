import {
  eventDefinition,
  readPayload,
  type EventHeader,
  type EventMetadata,
  type EventType,
  type LogEvent,
} from "../../events/index.js";

/** A row of `ledger_events` as stored. */
export interface EventRow extends EventHeader {
  readonly payload: string | null;
  readonly salt: Uint8Array | null;
  /** Like `hash`, null only where somebody took it out. */
  readonly payload_hash: Uint8Array | null;
  readonly hash: Uint8Array | null;
}

/** The columns of `ledger_events`, in the order of {@link EventRow}. */
export const EVENT_COLUMNS =
  "position, event_id, stream_id, stream_version, type, schema_version, recorded_at, origin, metadata, payload, salt, payload_hash, hash";

/** Reads a stored row as an event: payload decoded, lifted to the newest version and validated; erased ones as such. */
export function toLogEvent(row: EventRow): LogEvent {
  /* eslint-disable @typescript-eslint/no-unsafe-type-assertion -- type and payload were checked against the catalogue */
  const definition = eventDefinition(row.type);
  const erased = row.payload === null;
  const event = {
    position: row.position,
    event_id: row.event_id,
    stream_id: row.stream_id,
    stream_version: row.stream_version,
    type: row.type as EventType,
    schema_version: definition.version,
    recorded_at: row.recorded_at,
    origin: row.origin,
    payload: row.payload === null ? null : readPayload(row.type, row.schema_version, row.payload),
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as EventMetadata),
    hash: row.hash ?? new Uint8Array(0),
    erased,
  };
  return event as LogEvent;
  /* eslint-enable @typescript-eslint/no-unsafe-type-assertion */
}
