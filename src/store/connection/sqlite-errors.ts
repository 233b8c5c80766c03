import Database from "better-sqlite3";
import { LedgerError, type ErrorKind } from "../../events/index.js";

type SqliteError = InstanceType<typeof Database.SqliteError>;

/** An error that SQLite reported, named by its kind; `cause` is the original, `sqliteCode` its code. */
export class EngineError extends LedgerError {
  /** SQLite's extended result code, e.g. `SQLITE_IOERR_WRITE`. */
  readonly sqliteCode: string;
  /** The database file. */
  readonly path: string;

  constructor(kind: ErrorKind, code: string, message: string, path: string, cause: SqliteError) {
    super(kind, code, message, { cause });
    this.sqliteCode = cause.code;
    this.path = path;
  }
}

/** What a write may do about an error: try again, or not. */
export function isBusy(error: unknown): boolean {
  if (!isSqliteError(error)) return false;
  return /^SQLITE_(BUSY|LOCKED)/.test(error.code) || /locked|busy|no more rows available/i.test(error.message);
}

/** Whether the error means that a full-text index is damaged or cannot be used. */
export function isSearchIndexDamage(error: unknown): boolean {
  if (!isSqliteError(error)) return false;
  if (error.code === "SQLITE_CORRUPT_VTAB") return true;
  // A key that fails without naming its table is one of an index's hidden tables.
  if (error.code.startsWith("SQLITE_CONSTRAINT") && error.message === "constraint failed") return true;
  return (
    /fts5.*corrupt|corrupt.*fts5|invalid fts5 file format/i.test(error.message) ||
    /vtable constructor failed: messages_fts|no such tokenizer/i.test(error.message) ||
    /no such (table|module): (main\.)?(messages_fts|fts5)/i.test(error.message)
  );
}

/** Whether an index needs a tokenizer that this process has not loaded. */
export function isMissingTokenizer(error: unknown): boolean {
  return isSqliteError(error) && /no such tokenizer/i.test(error.message);
}

/** Whether SQLite found something damaged, wherever in the file it is. */
export function isDamage(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith("SQLITE_CORRUPT");
}

/** Whether `error` was thrown by SQLite. */
export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Database.SqliteError;
}

/**
 * Turns an error of SQLite into one of ours that says what was left unchanged; other errors come back as they are.
 * `unchanged` is the sentence that says so.
 */
export function translateSqliteError(error: unknown, path: string, unchanged = "Nothing was changed."): unknown {
  if (!isSqliteError(error)) return error;
  const { code, message } = error;
  const make = (kind: ErrorKind, name: string, text: string): EngineError =>
    new EngineError(kind, name, `${text} ${unchanged}`, path, error);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return make("locked", "LOCKED", `'${path}' is locked by another process (${message}).`);
  }
  if (code === "SQLITE_FULL" || /no space left|not enough space|disk full|full disk|enospc/i.test(message)) {
    return make("disk_full", "DISK_FULL", `No space left to write '${path}'. Free some and repeat.`);
  }
  if (code.startsWith("SQLITE_READONLY")) {
    return make("read_only", "READ_ONLY", `'${path}' cannot be written (${message}).`);
  }
  if (code === "SQLITE_NOTADB") return make("not_a_database", "NOT_A_DATABASE", `'${path}' is no SQLite database.`);
  if (code.startsWith("SQLITE_CORRUPT")) {
    return make("corrupt", "CORRUPT", `'${path}' is damaged (${message}). Keep a copy of it before any repair.`);
  }
  if (code.startsWith("SQLITE_CANTOPEN")) {
    return make(
      "engine",
      "CANNOT_OPEN",
      `'${path}' cannot be opened (${message}). Check the path and its permissions.`,
    );
  }
  if (code.startsWith("SQLITE_CONSTRAINT")) return make("constraint", "CONSTRAINT", `${message}.`);
  return make("engine", code, `${message} (${code}) in '${path}'.`);
}
