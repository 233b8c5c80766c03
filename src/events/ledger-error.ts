/**
 * The classes of refusal, stable and language-neutral. The first ten are those of the documented operations;
 * the rest are the ledger's own.
 *
 * - `validation` a bad argument value · `state` the stored state does not allow it · `closed` the session was
 *   ended by compression · `busy` / `lease_lost` a compression lock is held by someone else / was lost ·
 *   `constraint` a key or NOT NULL rule · `range` an integer beyond 64 bits or not finite · `encoding` a lone
 *   surrogate in a plain text column · `type` a value of an unusable type · `engine` any other SQLite error
 * - `version_conflict`, `duplicate_conflict`, `newer_schema`, `not_a_database`, `read_only`, `locked`,
 *   `disk_full`, `corrupt`, `projection_failed`, `not_found` (the file or directory, or a named thing that a
 *   command of the ledger's own needs)
 */
export type ErrorKind =
  | "validation"
  | "state"
  | "closed"
  | "busy"
  | "lease_lost"
  | "constraint"
  | "range"
  | "encoding"
  | "type"
  | "engine"
  | "version_conflict"
  | "duplicate_conflict"
  | "newer_schema"
  | "not_a_database"
  | "read_only"
  | "locked"
  | "disk_full"
  | "corrupt"
  | "projection_failed"
  | "not_found";

/**
 * Base of every error this package throws on purpose. The message says what happened, to which thing, what was
 * left unchanged and, where there is something to do, what to do next.
 */
export class LedgerError extends Error {
  /** Class of the refusal; switch on this, not on the message. */
  readonly kind: ErrorKind;
  /** Stable identifier of the exact cause, upper snake case, e.g. `TITLE_IN_USE`. */
  readonly code: string;

  constructor(kind: ErrorKind, code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.kind = kind;
    this.code = code;
  }
}
