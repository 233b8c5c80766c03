import type { Database } from "better-sqlite3";
import type { LogEvent } from "../events/index.js";
import type { Projection } from "./projection.js";
import { liveNames, withNames, type NameOf } from "./projection-sql.js";
import { projector } from "./projector.js";

/** How far a long run is. */
export interface Progress {
  /** What is being done, in a word or two. */
  readonly phase: string;
  /** Events or rows done. */
  readonly done: number;
  /** Events or rows in all. */
  readonly total: number;
}

/** Watching and stopping a long run. */
export interface RunControl {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Aborting ends the run with the signal's reason; nothing is changed then. */
  readonly signal?: AbortSignal | undefined;
}

const REPORT_EVERY = 1000;

/**
 * Makes the tables of `projections` (without indexes and derived objects) under the names `nameOf` gives.
 */
export function createTables(db: Database, projections: readonly Projection[], nameOf: NameOf = liveNames): void {
  for (const { tables, initial = [], onDemand } of projections) {
    if (onDemand === true) continue;
    for (const table of tables) db.exec(withNames(table.schema[0] ?? "", nameOf));
    for (const sql of initial) db.exec(withNames(sql, nameOf));
  }
}

/**
 * Applies events, in order, to tables made by {@link createTables}. Erased events are skipped. Foreign keys must be off:
 * rows may refer to a session whose events were erased later, until the event that detaches them. Run it inside a
 * transaction.
 */
export function replay(
  db: Database,
  projections: readonly Projection[],
  events: Iterable<LogEvent>,
  total: number,
  { onProgress, signal }: RunControl = {},
  nameOf: NameOf = liveNames,
): void {
  const project = projector(projections, db, nameOf);
  let done = 0;
  for (const event of events) {
    if (!event.erased) project(event);
    done += 1;
    if (done % REPORT_EVERY === 0) {
      signal?.throwIfAborted();
      onProgress?.({ phase: "replay", done, total });
    }
  }
  signal?.throwIfAborted();
  onProgress?.({ phase: "replay", done, total: done });
}
