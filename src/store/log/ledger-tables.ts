/** Version of the ledger's own tables. */
export const LOG_FORMAT_VERSION = 1;

/**
 * The ledger's own tables; the prefix `ledger_` keeps them apart from the documented ones. `ledger_events` is the log;
 * `payload`, `salt` are NULL once erased. `ledger_projections` says which definition made the tables that stand in the
 * file. `ledger_format` holds one row.
 */
export const ledgerSchema: readonly string[] = [
  `CREATE TABLE ledger_events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  stream_version INTEGER NOT NULL,
  type TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  recorded_at REAL NOT NULL,
  origin TEXT NOT NULL,
  payload TEXT,
  salt BLOB,
  payload_hash BLOB,
  hash BLOB,
  metadata TEXT,
  UNIQUE (stream_id, stream_version)
) STRICT`,
  `CREATE INDEX ledger_events_type ON ledger_events(type, position)`,
  `CREATE TABLE ledger_projections (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL,
  error TEXT
) STRICT`,
  `CREATE TABLE ledger_format (version INTEGER NOT NULL) STRICT`,
  `INSERT INTO ledger_format VALUES (${LOG_FORMAT_VERSION})`,
];
