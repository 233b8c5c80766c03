import type { Database } from "better-sqlite3";
import { LedgerError } from "../../events/index.js";
import {
  compareTables,
  createTables,
  projectionFingerprint,
  replay,
  withNames,
  type Difference,
  type NameOf,
  type Projection,
  type RunControl,
} from "../../projections/index.js";
import { readLogEnd } from "../log/appender.js";
import { readEvents } from "../log/read.js";
import { dropSearchIndexes, fillSearchIndexes } from "../search/index-recovery.js";

/** What {@link rebuild} may do. */
export interface RebuildOptions extends RunControl {
  /**
   * Let the tables follow the log even where rows differ for no known reason, such as another program's writes. Without
   * it such a rebuild is refused and nothing is changed.
   */
  readonly discardUnexplained?: boolean;
}

/** What {@link rebuild} did. */
export interface RebuildReport {
  /** Events read. */
  readonly events: number;
  /** Rows of each table now. */
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly changed: number }[];
  /** Seconds. */
  readonly seconds: number;
}

/** The tables hold rows that the log does not explain, so a rebuild would lose them. */
export class UnexplainedRowsError extends LedgerError {
  readonly differences: readonly Difference[];

  constructor(count: number, differences: readonly Difference[]) {
    const first = differences[0];
    const where =
      first === undefined ? "" : ` (first: table '${first.table}', ${first.kind}, key ${JSON.stringify(first.key)})`;
    super(
      "state",
      "UNEXPLAINED_ROWS",
      `${count} rows differ from what the log says${where}; another program may have written them. Nothing was changed. ` +
        `Look with verify; to let the tables follow the log all the same, rebuild with discardUnexplained.`,
    );
    this.differences = differences;
  }
}

const next: NameOf = (name) => `${name}__next`;

/**
 * Makes every documented table again from the log, in one transaction: the new tables are filled beside the live ones,
 * compared with them, and take their names. Until the commit nothing has changed; a crash before it leaves the old tables.
 * The write lock is held throughout, so other writers wait.
 *
 * @throws UnexplainedRowsError when rows would be lost; the signal's reason when aborted
 */
export function rebuild(db: Database, projections: readonly Projection[], options: RebuildOptions = {}): RebuildReport {
  const start = performance.now();
  // Neither can be changed inside the transaction. Without enforcement rows may come before what they refer to.
  db.pragma("foreign_keys = OFF");
  // Without it a rename looks into every view and trigger of the file, and a view on a table that is being swapped ends it.
  db.pragma("legacy_alter_table = ON");
  try {
    return db
      .transaction(() => {
        const events = readLogEnd(db).position;
        createTables(db, projections, next);
        replay(db, projections, readEvents(db), events, options, next);
        const compared = compareTables(db, projections, { expected: next, found: (name) => name });
        const differing = compared.reduce((sum, table) => sum + table.differing, 0);
        if (differing > 0 && options.discardUnexplained !== true && !definitionChanged(db, projections)) {
          throw new UnexplainedRowsError(
            differing,
            compared.flatMap((table) => table.differences),
          );
        }
        options.onProgress?.({ phase: "indexes", done: 0, total: projections.length });
        swap(db, projections);
        register(db, projections, events);
        return {
          events,
          tables: compared.map(({ table, differing: changed }) => ({ table, rows: rowsIn(db, table), changed })),
          seconds: (performance.now() - start) / 1000,
        };
      })
      .immediate();
  } finally {
    db.pragma("legacy_alter_table = OFF");
    db.pragma("foreign_keys = ON");
  }
}

/** Puts the new tables in the place of the old ones and makes indexes and derived objects over them. */
function swap(db: Database, projections: readonly Projection[]): void {
  const meta = db.prepare("SELECT key, value FROM state_meta WHERE key = 'fts_storage_version'").all();
  dropSearchIndexes(db);
  for (const { tables } of projections) {
    for (const table of tables) {
      db.exec(`DROP TABLE IF EXISTS ${table.name}`);
      if (!exists(db, next(table.name))) continue;
      db.exec(`ALTER TABLE ${next(table.name)} RENAME TO ${table.name}`);
      for (const index of indexesOf(db, table.name)) db.exec(`DROP INDEX ${index}`);
      for (const sql of [...table.schema.slice(1), ...table.ownIndexes]) db.exec(withNames(sql, (name) => name));
    }
  }
  for (const row of meta) db.prepare("INSERT OR REPLACE INTO state_meta VALUES (@key, @value)").run(row);
  for (const { derived = [] } of projections) for (const sql of derived) db.exec(withNames(sql, (name) => name));
  fillSearchIndexes(db);
}

/** Indexes made by a statement, not by a key. */
function indexesOf(db: Database, table: string): string[] {
  return db
    .prepare<[string], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    )
    .pluck()
    .all(table);
}

function exists(db: Database, table: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
}

function rowsIn(db: Database, table: string): number {
  return exists(db, table) ? (db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0) : 0;
}

/** Whether the tables were made by another definition than today's: then different rows are what a rebuild is for. */
function definitionChanged(db: Database, projections: readonly Projection[]): boolean {
  const stored = new Map(
    db
      .prepare<[], { name: string; fingerprint: string }>("SELECT name, fingerprint FROM ledger_projections")
      .all()
      .map((row) => [row.name, row.fingerprint]),
  );
  return projections.some((projection) => stored.get(projection.name) !== projectionFingerprint(projection));
}

function register(db: Database, projections: readonly Projection[], position: number): void {
  const upsert = db.prepare(
    `INSERT INTO ledger_projections (name, version, fingerprint, position, status) VALUES (?, ?, ?, ?, 'live')
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, fingerprint = excluded.fingerprint,
        position = excluded.position, status = excluded.status, error = NULL`,
  );
  for (const projection of projections) {
    upsert.run(projection.name, projection.version, projectionFingerprint(projection), position);
  }
}
