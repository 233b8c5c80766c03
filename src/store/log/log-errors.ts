import { LedgerError } from "../../events/index.js";

/** The stream is not at the version the writer expected: somebody else appended to it, or it was never that far. */
export class VersionConflictError extends LedgerError {
  readonly streamId: string;
  readonly expectedVersion: number | "none";
  readonly currentVersion: number;

  constructor(streamId: string, expectedVersion: number | "none", currentVersion: number) {
    super(
      "version_conflict",
      "VERSION_CONFLICT",
      `Stream '${streamId}' is at version ${currentVersion}, expected ${expectedVersion}; nothing was appended. ` +
        `Read the events since, decide again, and append with expectedVersion ${currentVersion}.`,
    );
    this.streamId = streamId;
    this.expectedVersion = expectedVersion;
    this.currentVersion = currentVersion;
  }
}

/** An event id that is already in the log came again with other content. */
export class DuplicateConflictError extends LedgerError {
  readonly eventId: string;
  readonly position: number;

  constructor(eventId: string, position: number, options?: { cause?: unknown }) {
    super(
      "duplicate_conflict",
      "DUPLICATE_CONFLICT",
      `Event id '${eventId}' is already in the log at position ${position} with other content; nothing was appended. ` +
        `Use a new id for a new event.`,
      options,
    );
    this.eventId = eventId;
    this.position = position;
  }
}

/** The log ends with an event that has no hash: something outside of this package changed it. */
export class DamagedLogError extends LedgerError {
  readonly position: number;

  constructor(position: number) {
    super(
      "corrupt",
      "DAMAGED_LOG",
      `Event ${position}, the newest of the log, has lost its hash, so that no event can follow it; nothing was changed. ` +
        "Something else wrote to the file: verify it, and take the newest backup that verifies.",
    );
    this.position = position;
  }
}

/** A reader asks for positions, or a number of events, that cannot be meant. */
export class InvalidReadError extends LedgerError {
  constructor(option: string, value: unknown) {
    super(
      "validation",
      "INVALID_READ",
      `${option} must be a whole number from 0 on, not ${String(value)}; nothing was read.`,
    );
  }
}

/** An append is asked for something that cannot be meant: an empty batch, an expected version across streams, … */
export class InvalidAppendError extends LedgerError {
  constructor(problem: string) {
    super("validation", "INVALID_APPEND", `${problem}; nothing was appended.`);
  }
}
