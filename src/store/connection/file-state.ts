import Database from "better-sqlite3";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LOG_FORMAT_VERSION } from "../log/ledger-tables.js";
import {
  NewerSchemaError,
  NotADatabaseError,
  NotAdoptedError,
  PathNotFoundError,
  ReadOnlyFileError,
} from "./open-errors.js";
import { isSqliteError, translateSqliteError } from "./sqlite-errors.js";

/** The documented schema version this package writes. */
export const SCHEMA_VERSION = 23;

/** Bytes of the smallest page. */
const SMALLEST_DATABASE = 512;

/** What stands at a path before a store is opened on it. */
export type FileState = "missing" | "empty" | "ledger";

/**
 * Looks at a path without changing it and says what an open will find. Throws for everything that must be refused:
 * a missing file or directory, a file that is no database, that may not be written, that a newer version wrote, or that
 * holds tables no log explains.
 */
export function inspectFile(path: string, options: { readOnly: boolean; create: boolean }): FileState {
  if (!existsSync(path)) {
    if (!existsSync(dirname(path))) throw new PathNotFoundError(dirname(path), "directory");
    if (options.readOnly || !options.create) throw new PathNotFoundError(path, "file");
    if (!isWritable(dirname(path))) throw new ReadOnlyFileError(dirname(path));
    return "missing";
  }
  const stat = statSync(path);
  if (!stat.isFile()) throw new NotADatabaseError(path);
  if (!options.readOnly) {
    // The write-ahead log is made beside the file.
    const closed = [path, dirname(path)].find((place) => !isWritable(place));
    if (closed !== undefined) throw new ReadOnlyFileError(closed);
  }
  if (stat.size === 0) {
    if (options.readOnly) throw new NotADatabaseError(path);
    return "empty";
  }
  // SQLite takes a file of one byte for an empty one, and would write over it.
  if (stat.size < SMALLEST_DATABASE) throw new NotADatabaseError(path);
  return inspectTables(path, options.readOnly);
}

function inspectTables(path: string, readOnly: boolean): FileState {
  let db: Database.Database | null = null;
  try {
    // A read-only connection neither recovers nor checkpoints: what it finds stays as it is.
    db = new Database(path, { readonly: true, timeout: 1000 });
    const tables = new Set(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
    if (tables.size === 0) return "empty";
    const schemaVersion = tables.has("schema_version") ? versionIn(db, "schema_version") : null;
    if (readOnly) return "ledger";
    if (schemaVersion !== null && schemaVersion > SCHEMA_VERSION) {
      throw new NewerSchemaError(path, "schema", schemaVersion, SCHEMA_VERSION);
    }
    if (!tables.has("ledger_events")) throw new NotAdoptedError(path, schemaVersion);
    const format = versionIn(db, "ledger_format") ?? 0;
    if (format > LOG_FORMAT_VERSION) throw new NewerSchemaError(path, "log format", format, LOG_FORMAT_VERSION);
    return "ledger";
  } catch (error) {
    if (isSqliteError(error) && error.code === "SQLITE_NOTADB") throw new NotADatabaseError(path, { cause: error });
    throw translateSqliteError(error, path, "It was left as it is.");
  } finally {
    db?.close();
  }
}

function versionIn(db: Database.Database, table: "schema_version" | "ledger_format"): number | null {
  const version: unknown = db.prepare(`SELECT max(version) FROM ${table}`).pluck().get();
  return typeof version === "number" ? version : null;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
