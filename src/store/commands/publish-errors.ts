import { LedgerError } from "../../events/index.js";

/** The compression lock of the parent is not held, is another's, or has run out. */
export class CompressionLeaseLostError extends LedgerError {
  readonly parentSessionId: string;

  constructor(parentSessionId: string) {
    super("lease_lost", "COMPRESSION_LEASE_LOST", `Compression lease lost before publication: ${parentSessionId}`);
    this.parentSessionId = parentSessionId;
  }
}

/** The session that was compressed does not exist. */
export class CompressionParentNotFoundError extends LedgerError {
  readonly parentSessionId: string;

  constructor(parentSessionId: string) {
    super("state", "COMPRESSION_PARENT_NOT_FOUND", `Compression parent not found: ${parentSessionId}`);
    this.parentSessionId = parentSessionId;
  }
}

/** The session that was compressed has ended already. */
export class CompressionParentEndedError extends LedgerError {
  readonly parentSessionId: string;

  constructor(parentSessionId: string) {
    super("state", "COMPRESSION_PARENT_ENDED", `Compression parent already ended: ${parentSessionId}`);
    this.parentSessionId = parentSessionId;
  }
}

/** A continuation without messages would lose the conversation. */
export class EmptyHandoffError extends LedgerError {
  readonly childSessionId: string;

  constructor(childSessionId: string) {
    super("state", "EMPTY_HANDOFF", "Compression child handoff must not be empty");
    this.childSessionId = childSessionId;
  }
}
