import type { Database } from "better-sqlite3";
import { projectionFingerprint, schemaStatements, type Projection } from "../../projections/index.js";
import { isBusy } from "./sqlite-errors.js";
import { ledgerSchema } from "../log/ledger-tables.js";

/**
 * Makes the documented tables and the log in an empty file, in one transaction: a crash before the commit leaves the
 * empty file. Does nothing when another process was first.
 */
export function createFile(db: Database, projections: readonly Projection[]): void {
  db.transaction(() => {
    if (db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() !== 0) return;
    for (const sql of schemaStatements(projections)) db.exec(sql);
    for (const sql of ledgerSchema) db.exec(sql);
    const register = db.prepare(
      "INSERT INTO ledger_projections (name, version, fingerprint, position, status) VALUES (?, ?, ?, 0, 'live')",
    );
    for (const projection of projections) {
      register.run(projection.name, projection.version, projectionFingerprint(projection));
    }
  }).immediate();
}

/**
 * Notes that the full-text layout is the current one, as the reference does at the second open of a new file. Skipped
 * while a rebuild of the index is pending.
 */
export function stampLayout(db: Database): void {
  const settled = db
    .prepare("SELECT 1 FROM state_meta WHERE key IN ('fts_storage_version', 'fts_rebuild_high_water') LIMIT 1")
    .get();
  if (settled !== undefined) return;
  try {
    db.prepare("INSERT OR IGNORE INTO state_meta (key, value) VALUES ('fts_storage_version', '1')").run();
  } catch (error) {
    // A note, not a need: while another process writes, the next open makes it.
    if (!isBusy(error)) throw error;
  }
}
