import type { Database } from "better-sqlite3";
import type { EventMetadata, EventType, Origin, StoredEvent } from "../events/index.js";
import type { EventInput } from "./rules/event-input.js";

/** An event to append: type and payload. What the store can fill in (row id, times, routes) may be left out. */
export type EventDraft<T extends EventType = EventType> = {
  [K in T]: {
    readonly type: K;
    readonly payload: EventInput<K>;
    /** Idempotency key; default: a new UUIDv7. The same id with the same content appends nothing. */
    readonly event_id?: string | undefined;
    readonly metadata?: EventMetadata | undefined;
  };
}[T];

/** The version a stream must have for an append: a number, `none` for "no event yet", `any` for no check. */
export type ExpectedVersion = number | "none" | "any";

/** What an append may ask for beyond the events. */
export interface AppendOptions {
  readonly expectedVersion?: ExpectedVersion | undefined;
  readonly origin?: Origin | undefined;
  readonly metadata?: EventMetadata | undefined;
  /** The compression lock the writer holds; without it a locked session takes no message. */
  readonly compressionLockHolder?: string | undefined;
}

/**
 * An open write transaction. Commands read the projected rows through `db`, decide, and `append`; each appended event
 * is projected at once, so that what follows sees it. Nothing is kept unless the whole transaction commits.
 */
export interface WriteTransaction {
  readonly db: Database;
  /** Epoch seconds. */
  readonly now: () => number;
  /**
   * Appends an event and projects it. An event id that is already in the log gives the stored event back, or throws
   * {@link DuplicateConflictError} when the content differs.
   */
  append<T extends EventType>(draft: EventDraft<T>, options?: AppendOptions): StoredEvent<T>;
  /** The version of a stream: how many events it has. */
  streamVersion(streamId: string): number;
  /** Notes work that follows the commit, such as clearing the traces of erased text; work of the same name is done once. */
  afterCommit(work: () => void, name?: string): void;
}
