import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { folded, historyRunner, replayed, rowsOf } from "../support/store-history.js";
import { toText, type Operation } from "../support/store-operation.js";
import { anyId, historyOn } from "../support/store-operations.js";

const RUNS = Number(process.env["HERMES_LEDGER_PROPERTY_RUNS"] ?? 40);
const live = historyRunner();

test("live tables, a replay into an empty file and the fold are equal; refusals change no byte; ids are given once", () => {
  fc.assert(
    fc.property(historyOn(anyId), fc.nat(200), (steps, where) => {
      const { path, db, remove } = live(steps);
      try {
        const events = [...db.log.read()];
        const cut = events.length === 0 ? 0 : where % (events.length + 1);
        const file = new Sqlite(path, { readonly: true });
        const rows = rowsOf(file);
        file.close();
        const { schema_version: _version, ...documented } = rows;
        expect(replayed(events, events.length), "replay").toEqual(rows);
        expect(replayed(events, cut), "replay of a prefix, then of the rest").toEqual(rows);
        expect(folded(events, cut), "fold").toEqual(documented);
        const report = db.verify({ deep: true });
        expect(report, "verify").toMatchObject({ ok: true, differences: [], index_problems: [] });
      } finally {
        remove();
      }
    }),
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the plugin hook that replaces it cannot change the message
    { numRuns: RUNS, reporter: reportReadably },
  );
}, 600_000);

/** The shrunk history as calls, with the seed and path that play it again. */
function reportReadably(details: fc.RunDetails<[Operation[], number]>): void {
  if (!details.failed) return;
  const [steps = [], where] = details.counterexample ?? [];
  const problem =
    details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  throw new Error(
    [
      `Failed after ${details.numRuns} histories; seed ${details.seed}, path "${details.counterexamplePath ?? ""}".`,
      `The shortest history that fails (replayed in two parts by ${String(where)}):`,
      ...steps.map((step, index) => `  ${index}. ${toText(step)}`),
      problem,
    ].join("\n"),
    { cause: details.errorInstance },
  );
}
