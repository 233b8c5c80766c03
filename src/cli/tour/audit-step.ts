import type { SessionDB } from "../../store/session-db.js";
import { counted, formatCount } from "../output/numbers.js";
import { heading, indented, paragraph, type SceneLayout, type StepResult } from "./scene.js";
import { fingerprint, wreckTables } from "./proof.js";

/** Loses every row, makes them again from the log, and proves that nothing is different. */
export function auditStep(db: SessionDB, layout: SceneLayout): StepResult {
  const before = fingerprint(db.path);
  const lost = wreckTables(db.path);
  const wrecked = db.verify();
  const missing = wrecked.tables.reduce((sum, table) => sum + table.differing, 0);
  const { seconds, events } = db.rebuild({ discardUnexplained: true });
  const after = fingerprint(db.path);
  const verified = db.verify({ deep: true });
  const checks = [
    { claim: `the loss is noticed: verify misses ${counted(missing, "row")}`, ok: !wrecked.ok && missing > 0 },
    { claim: `the log alone gives ${counted(after.rows, "row")} back`, ok: after.rows === before.rows && lost > 0 },
    { claim: "every value is the same as before", ok: after.sha256 === before.sha256 },
    { claim: `the hash chain of ${counted(verified.chain.events, "event")} is unbroken`, ok: verified.chain.ok },
    { claim: "tables, references and full-text indexes are sound", ok: verified.ok },
  ];
  return {
    name: "audit",
    passed: checks.every(({ ok }) => ok),
    document: { before, lost, missing, after, rebuild: { events, seconds }, checks, verify: verified },
    text: [
      heading(7, "The proof: lose everything, get it back", layout),
      "",
      paragraph(
        `Now all ${formatCount(lost)} rows of the tables were deleted behind the store's back. The log was left alone, and
        the tables were made again from it, in ${(seconds * 1000).toFixed(0)} ms.`,
        layout,
      ),
      "",
      indented(
        [
          `all rows before  sha256 ${before.sha256.slice(0, 32)}…`,
          `all rows after   sha256 ${after.sha256.slice(0, 32)}…`,
          "",
          ...checks.map(({ claim, ok }) => checkText(claim, ok, layout)),
        ].join("\n"),
      ),
    ].join("\n"),
  };
}

function checkText(claim: string, ok: boolean, { style }: SceneLayout): string {
  return `${ok ? style.green("yes") : style.red("NO ")}  ${claim}`;
}
