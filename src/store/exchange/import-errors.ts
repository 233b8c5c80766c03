import { LedgerError } from "../../events/index.js";

/** What was given for an import is no list. */
export class ImportNotAListError extends LedgerError {
  constructor() {
    super("validation", "IMPORT_NOT_A_LIST", "sessions must be a list");
  }
}

/** An import has too many sessions. */
export class ImportTooLongError extends LedgerError {
  readonly limit: number;

  constructor(limit: number) {
    super("validation", "IMPORT_TOO_LONG", `sessions must contain at most ${limit} entries`);
    this.limit = limit;
  }
}

/** A session to import has NaN for its start, which a stored session can't have. */
export class ImportedStartError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(
      "constraint",
      "IMPORTED_START",
      `The started_at of session '${sessionId}' is not a number; nothing was imported. Give epoch seconds, or null ` +
        "for the time of the import.",
    );
    this.sessionId = sessionId;
  }
}
