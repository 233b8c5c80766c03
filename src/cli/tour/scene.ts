import type { SessionDB } from "../../store/session-db.js";
import type { Style } from "../output/style.js";
import { wrapText } from "../output/text.js";

/** How the tour is laid out. */
export interface SceneLayout {
  readonly style: Style;
  readonly width: number;
}

/** What a step of the tour did and showed. */
export interface StepResult {
  readonly name: string;
  /** Whether what the step claims is so. */
  readonly passed: boolean;
  /** The facts, for `--json`. */
  readonly document: object;
  /** What people get to see. */
  readonly text: string;
}

/** A step of the tour: does something with the store and tells about it. */
export type TourStep = (db: SessionDB, layout: SceneLayout) => StepResult;

/** A paragraph of the tour. */
export function paragraph(text: string, { width }: SceneLayout): string {
  return wrapText(text.replace(/\s+/g, " ").trim(), width).join("\n");
}

/** The heading of a step. */
export function heading(number: number, title: string, { style }: SceneLayout): string {
  return style.bold(`${number}  ${title}`);
}

/** Lines set in from the margin. */
export function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `   ${line}`))
    .join("\n");
}
