import Database from "better-sqlite3";
import {
  eventDefinition,
  GENESIS_HASH,
  validatePayload,
  type Envelope,
  type EventPayloads,
  type EventType,
  type StoredEvent,
} from "../../src/events/index.js";
import { documentedProjections, schemaStatements } from "../../src/projections/catalogue.js";
import { liveNames, projectionSql, type NameOf } from "../../src/projections/projection-sql.js";
import type { EventHandler } from "../../src/projections/projection.js";

/**
 * An event as reading the log yields it. The payload must fit its schema, so that a test cannot project what the log
 * would refuse; `overrides` replace parts of the envelope.
 */
export function storedEvent<T extends EventType>(
  type: T,
  payload: EventPayloads[T],
  overrides: Partial<Envelope> = {},
): StoredEvent<T> {
  const definition = eventDefinition(type);
  const checked = validatePayload(type, payload);
  const envelope: Envelope = {
    position: 1,
    event_id: "00000000-0000-7000-8000-000000000001",
    stream_id: definition.streamOf(checked),
    stream_version: 1,
    schema_version: definition.version,
    recorded_at: 1_800_000_000.25,
    origin: "store",
    metadata: null,
    hash: GENESIS_HASH,
    ...overrides,
  };
  return { ...envelope, type, payload: checked, erased: false };
}

/** Applies events to the documented tables, all of them in one transaction. */
export function project(db: Database.Database, events: readonly StoredEvent[], nameOf: NameOf = liveNames): void {
  const sql = projectionSql(db, nameOf);
  db.transaction(() => {
    for (const event of events) {
      for (const { on } of documentedProjections) {
        (on[event.type] as EventHandler<EventType> | undefined)?.(sql, event);
      }
    }
  })();
}

/** An empty database in memory with the documented tables; foreign keys are enforced unless told otherwise. */
export function freshTables(options: { foreignKeys?: boolean } = {}): Database.Database {
  const db = new Database(":memory:");
  db.pragma(`foreign_keys = ${options.foreignKeys === false ? "OFF" : "ON"}`);
  for (const statement of schemaStatements(documentedProjections)) db.exec(statement);
  return db;
}

/** A new session with the columns a test is about. */
export function sessionCreated(
  session_id: string,
  fields: EventPayloads["SessionCreated"]["fields"] = {},
): StoredEvent<"SessionCreated"> {
  return storedEvent("SessionCreated", {
    session_id,
    created: true,
    fields: { source: "cli", started_at: 1000.5, ...fields },
    cause: "create",
  });
}

/** A message at the end of a session. */
export function messageAppended(
  session_id: string,
  id: number,
  message: Partial<EventPayloads["MessageAppended"]["message"]> = {},
  calls = 0,
): StoredEvent<"MessageAppended"> {
  return storedEvent("MessageAppended", {
    session_id,
    message: { id, role: "user", timestamp: 2000 + id, content: `text ${id}`, ...message },
    calls,
  });
}
