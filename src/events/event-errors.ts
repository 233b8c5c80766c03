import { LedgerError } from "./ledger-error.js";

/** An event has a type that the catalogue does not know. */
export class UnknownEventTypeError extends LedgerError {
  readonly type: string;

  constructor(type: string, known: readonly string[]) {
    super(
      "validation",
      "UNKNOWN_EVENT_TYPE",
      `Event type '${type}' is unknown; nothing was appended. Known types: ${known.join(", ")}. ` +
        `If a newer version of this package wrote it, update the package.`,
    );
    this.type = type;
  }
}

/** An event carries a payload version that is newer than this package (or no version at all). */
export class EventVersionError extends LedgerError {
  readonly type: string;
  readonly schemaVersion: number;
  readonly newestKnown: number;

  constructor(type: string, schemaVersion: number, newestKnown: number) {
    super(
      "newer_schema",
      "EVENT_VERSION",
      `Event type '${type}' has payload version ${schemaVersion}, this package knows versions 1 to ${newestKnown}; ` +
        `nothing was changed. Update the package to read it.`,
    );
    this.type = type;
    this.schemaVersion = schemaVersion;
    this.newestKnown = newestKnown;
  }
}

/** A payload does not fit the schema of its event type. */
export class InvalidEventError extends LedgerError {
  readonly type: string;
  /** Where it does not fit: path in the payload and what was expected. */
  readonly problems: readonly { path: string; message: string }[];

  constructor(type: string, problems: readonly { path: string; message: string }[], options?: { cause?: unknown }) {
    const list = problems.map((problem) => `${problem.path || "payload"}: ${problem.message}`).join("; ");
    super("validation", "INVALID_EVENT", `Event '${type}' is malformed, nothing was appended: ${list}`, options);
    this.type = type;
    this.problems = problems;
  }
}
