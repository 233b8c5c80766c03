import type { Database } from "better-sqlite3";
import {
  LedgerError,
  encodePayload,
  eventDefinition,
  validatePayload,
  type EventMetadata,
  type EventPayloads,
  type EventType,
  type LogEvent,
  type StoredEvent,
} from "../events/index.js";
import { appender, type Appender } from "./log/appender.js";
import { DuplicateConflictError, InvalidAppendError, VersionConflictError } from "./log/log-errors.js";
import { requireForm } from "./rules/input-form.js";
import { ruleOf } from "./rules/rules.js";
import { hasLoneSurrogate } from "./values/text.js";
import { refuseUnstorable } from "./rules/well-formed.js";
import type { AppendOptions, EventDraft, ExpectedVersion, WriteTransaction } from "./write-transaction.js";

/** What a transaction needs from the store that opened it. */
export interface TransactionEnvironment {
  readonly db: Database;
  readonly clock: () => number;
  readonly newEventId: () => string;
  readonly project: (event: StoredEvent) => void;
}

/** A transaction with what the store wants to know when it commits. */
export interface OpenTransaction extends WriteTransaction {
  readonly appended: StoredEvent[];
  readonly followUps: ReadonlyMap<unknown, () => void>;
  /** How many writes were begun; unchanged after a refusal. */
  writes(): number;
}

/** An operation inside a transaction failed after it had written, and the transaction was to be kept all the same. */
export class TransactionSpoiledError extends LedgerError {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      "state",
      "TRANSACTION_SPOILED",
      `An operation inside the transaction failed half-way (${reason}); all of it was rolled back. ` +
        `Let such an error end the transaction, then repeat it.`,
      { cause },
    );
  }
}

/** The body of a transaction returned a promise: it would go on after the commit. */
export class AsynchronousTransactionError extends LedgerError {
  constructor() {
    super(
      "validation",
      "ASYNCHRONOUS_TRANSACTION",
      "The body of a transaction returned a promise; all of it was rolled back. Await first, then run the transaction " +
        "with a function that returns at once.",
    );
  }
}

const MAX_EVENT_ID_LENGTH = 200;

/** Starts appending in the transaction that is open on `environment.db`. */
export function openTransaction(environment: TransactionEnvironment): OpenTransaction {
  const { db } = environment;
  const log = appender(db);
  let writes = 0;
  const appended: StoredEvent[] = [];
  const followUps = new Map<unknown, () => void>();
  const tx: OpenTransaction = {
    db,
    now: environment.clock,
    appended,
    followUps,
    streamVersion: (streamId) => log.streamVersion(streamId),
    afterCommit: (work, name) => void followUps.set(name ?? work, work),
    writes: () => writes,
    append: <T extends EventType>(draft: EventDraft<T>, options: AppendOptions = {}): StoredEvent<T> => {
      requireForm(draft);
      // SQLite itself ends a transaction when the disk is full: nothing may be written outside of one.
      if (!db.inTransaction) throw new TransactionSpoiledError(new Error("the transaction has ended"));
      const type: T = draft.type;
      const metadata = checkedMetadata(draft.metadata ?? options.metadata ?? null);
      const known = draft.event_id === undefined ? undefined : log.find(checkedEventId(draft.event_id));
      if (known !== undefined) return sameEvent(tx, draft, known);
      const rule = ruleOf(type);
      const payload = validatePayload(type, rule.complete(tx, draft.payload));
      refuseUnstorable(type, payload);
      checkVersion(log, eventDefinition(type).streamOf(payload), options.expectedVersion ?? "any");
      rule.admit(tx, payload, options);
      writes += 1;
      const event = log.append<T>({
        type,
        payload,
        event_id: draft.event_id ?? environment.newEventId(),
        recorded_at: environment.clock(),
        origin: options.origin ?? "store",
        metadata,
      });
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- one of the types, whichever T is
      const stored = event as unknown as StoredEvent;
      environment.project(stored);
      rule.after(tx, event);
      appended.push(stored);
      return event;
    },
  };
  return tx;
}

function checkedEventId(eventId: unknown): string {
  const fits = typeof eventId === "string" && eventId.length > 0 && eventId.length <= MAX_EVENT_ID_LENGTH;
  if (!fits || hasLoneSurrogate(eventId)) {
    throw new InvalidAppendError(`An event id must be text of 1 to ${MAX_EVENT_ID_LENGTH} characters`);
  }
  return eventId;
}

/** Metadata is kept in the header for good, so it must come back as it was given. */
function checkedMetadata(metadata: unknown): EventMetadata | null {
  if (metadata === null) return null;
  if (typeof metadata === "object" && !Array.isArray(metadata) && Object.values(metadata).every(isPlainFact)) {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- its values were just looked at
    return metadata as EventMetadata;
  }
  throw new InvalidAppendError("Metadata is an object whose values are text, finite numbers, booleans or null");
}

function isPlainFact(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return value === null || ["string", "boolean", "undefined"].includes(typeof value);
}

function checkVersion(log: Appender, streamId: string, expected: ExpectedVersion): void {
  if (expected === "any") return;
  if (expected !== "none" && (!Number.isSafeInteger(expected) || expected < 0)) {
    throw new InvalidAppendError(
      `An expected version is a whole number from 0 on, 'none' or 'any', not ${String(expected)}`,
    );
  }
  const current = log.streamVersion(streamId);
  if (current !== (expected === "none" ? 0 : expected)) throw new VersionConflictError(streamId, expected, current);
}

/**
 * The answer to an event id that is already in the log. Content is the same when it is what the stored event has, the
 * parts left out being taken from there. Of an erased event only the type can still be compared.
 */
function sameEvent<T extends EventType>(tx: WriteTransaction, draft: EventDraft<T>, known: LogEvent): StoredEvent<T> {
  const conflict = (): DuplicateConflictError => new DuplicateConflictError(known.event_id, known.position);
  if (known.type !== draft.type) throw conflict();
  /* eslint-disable @typescript-eslint/no-unsafe-type-assertion -- the types were just found equal */
  if (!known.erased) {
    let again: unknown;
    try {
      again = validatePayload(
        draft.type,
        ruleOf(draft.type).complete(tx, draft.payload, known.payload as EventPayloads[T]),
      );
    } catch (cause) {
      throw new DuplicateConflictError(known.event_id, known.position, { cause });
    }
    if (encodePayload(again) !== encodePayload(known.payload)) throw conflict();
  }
  return known as unknown as StoredEvent<T>;
  /* eslint-enable @typescript-eslint/no-unsafe-type-assertion */
}
