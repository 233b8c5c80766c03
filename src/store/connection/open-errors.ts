import { LedgerError } from "../../events/index.js";

/** There is no file at the path and none may be made, or its directory does not exist. */
export class PathNotFoundError extends LedgerError {
  readonly path: string;

  constructor(path: string, what: "file" | "directory") {
    super(
      "not_found",
      what === "file" ? "FILE_NOT_FOUND" : "DIRECTORY_NOT_FOUND",
      what === "file"
        ? `There is no database at '${path}'; nothing was created.`
        : `Directory '${path}' does not exist; nothing was created. Make it first, or name another path.`,
    );
    this.path = path;
  }
}

/** The path names no file: it is empty, a URI, or SQLite's name for a database in memory. */
export class NotAFilePathError extends LedgerError {
  readonly path: string;

  constructor(path: string) {
    super(
      "validation",
      "NOT_A_FILE_PATH",
      `'${path}' is not the path of a file, and a store is a file; nothing was opened. Name a file, in a temporary directory if need be.`,
    );
    this.path = path;
  }
}

/** The path is a directory or another thing that is no regular file. */
export class NotADatabaseError extends LedgerError {
  readonly path: string;

  constructor(path: string, options?: { cause?: unknown }) {
    super("not_a_database", "NOT_A_DATABASE", `'${path}' is no SQLite database; it was left as it is.`, options);
    this.path = path;
  }
}

/** The file may not be written. */
export class ReadOnlyFileError extends LedgerError {
  readonly path: string;

  constructor(path: string) {
    super(
      "read_only",
      "READ_ONLY",
      `'${path}' cannot be written; it was left as it is. Make it writable (chmod u+rw), or open it with readOnly: true.`,
    );
    this.path = path;
  }
}

/** The operating system refuses to make or to look at the file, for another reason than its permissions. */
export class FileAccessError extends LedgerError {
  readonly path: string;

  constructor(path: string, cause: Error) {
    super(
      "engine",
      "FILE_ACCESS",
      `'${path}' cannot be used: ${cause.message}. Nothing was created. Name another path.`,
      {
        cause,
      },
    );
    this.path = path;
  }
}

/** A write was asked of a store that was opened with `readOnly`. */
export class ReadOnlyStoreError extends LedgerError {
  readonly path: string;

  constructor(path: string) {
    super("read_only", "READ_ONLY_STORE", `'${path}' was opened with readOnly: true; nothing was written.`);
    this.path = path;
  }
}

/** The store was closed. */
export class StoreClosedError extends LedgerError {
  readonly path: string;

  constructor(path: string) {
    super("state", "STORE_CLOSED", `The store on '${path}' is closed; nothing was done. Open it again.`);
    this.path = path;
  }
}

/** The file has a schema or log format that is newer than this package knows. */
export class NewerSchemaError extends LedgerError {
  readonly path: string;
  readonly found: number;
  readonly known: number;

  constructor(path: string, what: "schema" | "log format", found: number, known: number) {
    super(
      "newer_schema",
      "NEWER_SCHEMA",
      `'${path}' has ${what} version ${found}, this package knows ${known}; it was left unchanged. ` +
        `Update the package, or open it with readOnly: true.`,
    );
    this.path = path;
    this.found = found;
    this.known = known;
  }
}

/** The file holds documented tables that no log explains: it was written by another program and not yet adopted. */
export class NotAdoptedError extends LedgerError {
  readonly path: string;
  readonly schemaVersion: number | null;

  constructor(path: string, schemaVersion: number | null) {
    super(
      "state",
      "NOT_ADOPTED",
      `'${path}' has no event log${schemaVersion === null ? "" : ` (schema version ${schemaVersion})`}: another program ` +
        `wrote it; it was left unchanged. This version cannot adopt such a file yet: it can be read (every command that ` +
        `only reads, or readOnly: true), or start a new one.`,
    );
    this.path = path;
    this.schemaVersion = schemaVersion;
  }
}

/** Maintenance that needs transactions of its own was asked for inside a transaction. */
export class MaintenanceInTransactionError extends LedgerError {
  readonly path: string;

  constructor(path: string) {
    super(
      "state",
      "MAINTENANCE_IN_TRANSACTION",
      `Maintenance of '${path}' cannot run inside a transaction; nothing was changed. Run it after the transaction.`,
    );
    this.path = path;
  }
}
