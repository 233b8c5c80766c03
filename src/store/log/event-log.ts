import type { EventMetadata, EventType, LogEvent, StoredEvent } from "../../events/index.js";
import type { Store } from "../store.js";
import type { EventDraft, ExpectedVersion } from "../write-transaction.js";
import { translateSqliteError } from "../connection/sqlite-errors.js";
import { statement } from "../statements.js";
import { readLogEnd, readStreamVersion } from "./appender.js";
import { InvalidAppendError } from "./log-errors.js";
import { readEvents, requireReadable, type ReadOptions } from "./read.js";

/** What an append may say beyond the events. */
export interface LogAppendOptions {
  /** The stream the version is expected of; default: the stream of the events, which must then be one. */
  readonly streamId?: string;
  /** Version that stream must have: a number, `none` for no event yet, `any` (default). */
  readonly expectedVersion?: ExpectedVersion;
  /** Actor, correlation and causation, for events that bring no metadata of their own. */
  readonly metadata?: EventMetadata;
  /** Where the events come from; default `store`. */
  readonly origin?: "store" | "import";
}

/** The end of the log. */
export interface LogHead {
  /** Position of the newest event; 0 in an empty log. */
  readonly position: number;
  /** Its hash, hexadecimal: pin it elsewhere, and a truncated or rewritten log is noticed. */
  readonly hash: string;
  /** How many events there are. */
  readonly events: number;
  /** When the newest was recorded (epoch seconds), or null. */
  readonly recorded_at: number | null;
}

/** The append log of a store: typed events in and out. */
export interface EventLog {
  /**
   * Appends one event or a batch in one transaction and returns what was stored. Everything is checked first: the
   * payload against its schema, the event against the rules of the documented operation it stands for.
   *
   * @throws InvalidEventError, UnknownEventTypeError, VersionConflictError, DuplicateConflictError, InvalidAppendError
   *   and the refusals of the documented operations; nothing is appended then
   */
  append<T extends EventType>(event: EventDraft<T>, options?: LogAppendOptions): StoredEvent<T>;
  /** A batch: all of it in one transaction, or nothing. */
  append(events: readonly EventDraft[], options?: LogAppendOptions): StoredEvent[];
  /**
   * Reads events by position, stream and type, in either direction, in constant memory.
   *
   * @throws InvalidReadError at the call; StoreClosedError, EngineError when reading on
   */
  read(options?: ReadOptions): IterableIterator<LogEvent>;
  /** The end of the log. */
  head(): LogHead;
  /** The version of a stream: how many events it has. */
  streamVersion(streamId: string): number;
}

/** The log of an open store. */
export function eventLog(store: Store): EventLog {
  function append<T extends EventType>(event: EventDraft<T>, options?: LogAppendOptions): StoredEvent<T>;
  function append(events: readonly EventDraft[], options?: LogAppendOptions): StoredEvent[];
  function append(input: EventDraft | readonly EventDraft[], options: LogAppendOptions = {}): unknown {
    if (isBatch(input)) return appendBatch(store, input, options);
    return appendBatch(store, [input], options)[0];
  }
  return {
    append,
    read: (options) => {
      store.requireLog();
      requireReadable(options);
      return readFrom(store, options);
    },
    head: () => {
      store.requireLog();
      return store.read(() => head(store));
    },
    streamVersion: (streamId) => {
      store.requireLog();
      return store.read((db) => readStreamVersion(db, streamId));
    },
  };
}

/** Reading goes on after the call has returned, so what goes wrong later is told as errors of the store too. */
function* readFrom(store: Store, options: ReadOptions | undefined): Generator<LogEvent, void, undefined> {
  try {
    yield* readEvents(store.db, options);
  } catch (error) {
    store.requireOpen();
    throw translateSqliteError(error, store.path);
  }
}

function isBatch(input: EventDraft | readonly EventDraft[]): input is readonly EventDraft[] {
  return Array.isArray(input);
}

function appendBatch(store: Store, drafts: readonly EventDraft[], options: LogAppendOptions): StoredEvent[] {
  if (drafts.length === 0) throw new InvalidAppendError("The batch is empty");
  const { expectedVersion = "any", metadata, origin } = options;
  return store.write((tx) => {
    // The first new event stands the test for its stream, the others only have to belong to that stream. An event that
    // was in the log already says nothing of the version now.
    const end = readLogEnd(tx.db).position;
    let expected = expectedVersion;
    const stored = drafts.map((draft) => {
      const event = tx.append(draft, { metadata, origin, expectedVersion: expected });
      if (event.position > end) expected = "any";
      return event;
    });
    requireOneStream(stored, options);
    return stored;
  }, "transcript");
}

function requireOneStream(
  events: readonly StoredEvent[],
  { expectedVersion = "any", streamId }: LogAppendOptions,
): void {
  const expected = streamId ?? events[0]?.stream_id;
  if (expectedVersion === "any" && streamId === undefined) return;
  const other = events.find((event) => event.stream_id !== expected);
  if (other !== undefined) {
    throw new InvalidAppendError(`${other.type} belongs to stream '${other.stream_id}', not to '${String(expected)}'`);
  }
}

function head(store: Store): LogHead {
  const end = readLogEnd(store.db);
  const row = statement<{ recorded_at: number }>(
    store.db,
    "SELECT recorded_at FROM ledger_events WHERE position = ?",
  ).get(end.position);
  return {
    position: end.position,
    hash: Buffer.from(end.hash).toString("hex"),
    // Positions have no gaps.
    events: end.position,
    recorded_at: row?.recorded_at ?? null,
  };
}
