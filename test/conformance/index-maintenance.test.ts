import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { backfillStep } from "../../src/store/search/index-backfill.js";
import type { FtsStorageProgress } from "../../src/store/search/index-maintenance.js";
import { indexState, openRaw, type IndexState } from "../support/index-state.js";
import { ledgerFile, type LedgerFile } from "../support/ledger-file.js";
import { sharedPath } from "../support/shared.js";

interface Step {
  readonly op: string;
  readonly tokenizer?: boolean;
  readonly rows?:
    number | readonly (readonly [role: string, content: string, tool_name?: string | null, calls?: string])[];
  readonly set?: Readonly<Record<string, string>>;
  readonly sql?: string;
  readonly query?: string;
  readonly gives: Readonly<Record<string, unknown>>;
  readonly state?: IndexState;
}

interface Trace {
  readonly name: string;
  readonly steps: readonly Step[];
}

const path = sharedPath("spec", "search-examples.json");
const traces =
  path === null ? [] : (JSON.parse(readFileSync(path, "utf8")) as { maintenance: readonly Trace[] }).maintenance;

/** Traces whose course is another one here on purpose; the tests named with the reason show what happens instead. */
const BETTER = new Map([
  [
    "missing triggers at open: triggers recreated and the indexes rebuilt, markers cleared",
    "opening scans no messages: the index is set aside, see damaged-index.test.ts",
  ],
  [
    "rebuild_fts in the middle of a backfill leaves the markers",
    "it ends the backfill, see index-maintenance.test.ts in test/unit",
  ],
]);

/** Why a trace cannot be followed by this version, or null. */
function beyond({ name, steps }: Trace): string | null {
  if (steps.some(({ op }) => op === "legacy_file")) return "needs a file of an older layout";
  if (steps.some(({ tokenizer }) => tokenizer === true)) return "needs the tokenizer cjk_unicode61";
  return BETTER.get(name) ?? null;
}

test.skipIf(path === null)("every better trace is one of the recorded ones", () => {
  expect([...BETTER.keys()].filter((name) => !traces.some((trace) => trace.name === name))).toEqual([]);
});

for (const trace of traces) {
  const reason = beyond(trace);
  test.skipIf(reason !== null)(`${trace.name}${reason === null ? "" : ` (${reason})`}`, () => {
    const file = ledgerFile();
    const run: Run = { file, db: file.db, closed: false, ids: undefined };
    trace.steps.forEach((step, index) => {
      expect(take(run, step), `step ${index + 1}, ${step.op}`).toEqual(step.gives);
      if (step.state !== undefined) {
        expect(indexState(file.path, step.state), `after step ${index + 1}, ${step.op}`).toEqual(step.state);
      }
    });
  });
}

interface Run {
  readonly file: LedgerFile;
  db: LedgerFile["db"];
  closed: boolean;
  /** Ids of a step, where the trace sets them. */
  ids: number | undefined;
}

function take(run: Run, step: Step): Step["gives"] {
  switch (step.op) {
    case "open":
      if (run.closed) run.db = run.file.another();
      run.closed = false;
      return step.gives;
    case "close":
      run.db.close();
      run.closed = true;
      return {};
    case "fill":
      fill(run, step.rows ?? 0);
      return {};
    case "chunk":
      run.ids = typeof step.rows === "number" ? step.rows : undefined;
      return {};
    case "sql":
      openRaw(run.file.path, (raw) => raw.exec(step.sql ?? ""));
      return {};
    case "meta":
      openRaw(run.file.path, (raw) => {
        for (const entry of Object.entries(step.set ?? {}))
          raw.prepare("INSERT INTO state_meta VALUES (?, ?)").run(entry);
      });
      return {};
    case "status":
      return {
        main: run.db.ftsRebuildStatus(),
        cjk: run.db.ftsCjkRebuildStatus(),
        optimize_available: run.db.ftsOptimizeAvailable(),
      };
    case "rebuild_step":
      if (run.ids === undefined) return { more: run.db.ftsRebuildStep() };
      return { more: openRaw(run.file.path, (raw) => raw.transaction(() => backfillStep(raw, run.ids)).immediate()) };
    case "optimize_storage":
      return optimize(run);
    case "search": {
      const found = run.db.searchMessages(step.query ?? "", { limit: 5000 });
      return { hits: found.map(({ id, snippet }) => [id, snippet]) };
    }
    default:
      throw new Error(`no step ${step.op}`);
  }
}

function fill({ db }: Run, rows: NonNullable<Step["rows"]>): void {
  db.ensureSession("s");
  if (typeof rows === "number") {
    for (let row = 1; row <= rows; row++)
      db.appendMessage({ session_id: "s", role: "user", content: `row ${row} needle` });
    return;
  }
  for (const [role, content, tool_name, calls] of rows) {
    const tool_calls = calls === undefined ? undefined : (JSON.parse(calls) as unknown[]);
    db.appendMessage({ session_id: "s", role, content, tool_name, tool_calls });
  }
}

/** Runs of the same progress are written as [progress, how often]. */
function optimize({ db }: Run): Step["gives"] {
  const told: [FtsStorageProgress, number][] = [];
  const result = db.optimizeFtsStorage({
    vacuum: false,
    progress_callback(progress) {
      const last = told.at(-1);
      if (last !== undefined && JSON.stringify(last[0]) === JSON.stringify(progress)) last[1] += 1;
      else told.push([progress, 1]);
    },
  });
  return { result, progress: told };
}
