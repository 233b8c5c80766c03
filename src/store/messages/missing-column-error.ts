import { LedgerError } from "../../events/ledger-error.js";

/** A message lacks a value that every stored message has. */
export class MissingColumnError extends LedgerError {
  /** The column that would have been NULL. */
  readonly column: string;

  constructor(column: string) {
    super(
      "constraint",
      "MESSAGE_COLUMN_MISSING",
      `A message's ${column} can't be NULL${column === "timestamp" ? " (NaN is stored as NULL)" : ""}; ` +
        `nothing was written. Give the message a ${column}.`,
    );
    this.column = column;
  }
}
