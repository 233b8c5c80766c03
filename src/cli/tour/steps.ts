import { formatDuration } from "../output/time.js";
import { auditStep } from "./audit-step.js";
import { logStep, searchStep, sessionsStep, transcriptStep, usageStep } from "./reading-steps.js";
import { paragraph, type SceneLayout, type TourStep } from "./scene.js";
import { writingStep } from "./writing-step.js";

/** The steps in their order. */
export const tourSteps: readonly TourStep[] = [
  writingStep,
  sessionsStep,
  transcriptStep,
  searchStep,
  usageStep,
  logStep,
  auditStep,
];

/** The last words. */
export function conclusion(
  layout: SceneLayout,
  { ok, seconds, kept }: { readonly ok: boolean; readonly seconds: number; readonly kept: string | null },
): string {
  const { style } = layout;
  const verdict = ok ? style.green("Every proof holds.") : style.red("A proof failed: see above.");
  const next =
    kept === null
      ? "The store of this tour is gone again. With --keep DIR it stays, to look around in it:"
      : "The store of this tour stays. Look around in it:";
  const path = kept ?? "DIR/state.db";
  const commands = ["sessions list", "search ferry", "log --follow", "verify --deep"];
  return [
    `${verdict} The tour took ${formatDuration(seconds)}.`,
    "",
    paragraph(next, layout),
    ...commands.map((command) => style.dim(`   hermes-ledger --db ${path} ${command}`)),
  ].join("\n");
}
