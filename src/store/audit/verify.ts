import Database from "better-sqlite3";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compareTables,
  createTables,
  replay,
  type Difference,
  type Projection,
  type RunControl,
  type TableComparison,
} from "../../projections/index.js";
import type { LogEvent } from "../../events/index.js";
import { isBusy, isSqliteError, translateSqliteError } from "../connection/sqlite-errors.js";
import { toLogEvent } from "../log/event-row.js";
import { readEventRows } from "../log/read.js";
import { chainWalk, type ChainReport } from "../log/verify-chain.js";

/** What {@link verify} should look at. */
export interface VerifyOptions extends RunControl {
  /** Also check the b-trees and the content of the full-text indexes; takes time in proportion to the file. */
  readonly deep?: boolean;
  /** A head noted earlier: the log must still hold that hash at that position. */
  readonly head?: { readonly position: number; readonly hash: string };
}

/** What {@link verify} found. */
export interface VerifyReport {
  /** True when nothing at all was found wrong. */
  readonly ok: boolean;
  readonly chain: ChainReport;
  /** Why the replay stopped early, or null. The tables are not compared then. */
  readonly replay_error: string | null;
  readonly tables: readonly Omit<TableComparison, "differences">[];
  /** The first differences of each table. */
  readonly differences: readonly Difference[];
  /** Rows that refer to a row that is not there. */
  readonly foreign_key_violations: number;
  /** Problems of b-trees and full-text indexes; null when they were not looked at. */
  readonly index_problems: readonly string[] | null;
}

/**
 * Proves a store: walks the hash chain, replays the log into a scratch file and compares every documented table with the
 * result, value by value. Works on a snapshot of its own, so writers go on meanwhile; the store is not changed.
 */
export function verify(path: string, projections: readonly Projection[], options: VerifyOptions = {}): VerifyReport {
  const directory = mkdtempSync(join(tmpdir(), "hermes-ledger-"));
  const connections: Database.Database[] = [];
  try {
    const scratch = new Database(join(directory, "replay.db"));
    connections.push(scratch);
    // The scratch file is thrown away; a crash may leave anything in it.
    scratch.pragma("journal_mode = OFF");
    scratch.pragma("synchronous = OFF");
    scratch.pragma("foreign_keys = OFF");
    createTables(scratch, projections);
    const file = new Database(path, { readonly: true });
    connections.push(file);
    file.prepare("ATTACH ? AS replayed").run(scratch.name);
    file.exec("BEGIN");
    return inspect(file, scratch, projections, options);
  } catch (error) {
    throw translateSqliteError(error, path);
  } finally {
    for (const connection of connections.reverse()) connection.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function inspect(
  file: Database.Database,
  scratch: Database.Database,
  projections: readonly Projection[],
  options: VerifyOptions,
): VerifyReport {
  const walk = chainWalk(options.head);
  const total = sequenceOf(file, "ledger_events");
  const replay_error = replayAll(file, scratch, projections, total, walk, options);
  const chain = walk.report(total);
  options.onProgress?.({ phase: "compare", done: 0, total: projections.length });
  const compared =
    replay_error === null
      ? compareTables(file, projections, { expected: (name) => `replayed.${name}`, found: (name) => `main.${name}` })
      : [];
  const foreign_key_violations =
    file.prepare<[], number>("SELECT count(*) FROM pragma_foreign_key_check").pluck().get() ?? 0;
  const index_problems = options.deep === true ? indexProblems(file) : null;
  return {
    ok:
      chain.ok &&
      replay_error === null &&
      compared.every((table) => table.differing === 0) &&
      foreign_key_violations === 0 &&
      (index_problems ?? []).length === 0,
    chain,
    replay_error,
    tables: compared.map(({ table, rows, differing }) => ({ table, rows, differing })),
    differences: compared.flatMap((table) => table.differences),
    foreign_key_violations,
    index_problems,
  };
}

/** Walks the chain over every row and replays the events that can be read; returns why the replay ended early. */
function replayAll(
  file: Database.Database,
  scratch: Database.Database,
  projections: readonly Projection[],
  total: number,
  walk: ReturnType<typeof chainWalk>,
  options: VerifyOptions,
): string | null {
  const rows = readEventRows(file);
  function* events(): Generator<LogEvent, void, undefined> {
    for (const row of rows) {
      walk.step(row);
      yield toLogEvent(row);
    }
  }
  let problem: string | null = null;
  scratch.exec("BEGIN");
  try {
    replay(scratch, projections, events(), total, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    problem = error instanceof Error ? error.message : String(error);
  } finally {
    scratch.exec("COMMIT");
  }
  // A replay that ended early leaves the rest of the chain unwalked.
  for (const row of readEventRows(file, { from: walk.position() + 1 })) walk.step(row);
  return problem;
}

function indexProblems(file: Database.Database): string[] {
  try {
    const found = file.prepare<[], string>("PRAGMA integrity_check(20)").pluck().all();
    return found.filter((line) => line !== "ok");
  } catch (error) {
    // An index that cannot even be opened ends the check; that is what was looked for.
    if (isSqliteError(error) && !isBusy(error)) return [error.message];
    throw error;
  }
}

function sequenceOf(file: Database.Database, table: string): number {
  return file.prepare<[string], number>("SELECT seq FROM sqlite_sequence WHERE name = ?").pluck().get(table) ?? 0;
}
