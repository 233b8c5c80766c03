import { splitSpaces, strip } from "../values/text.js";

/** How the text starts that a skill invocation puts in place of what the user typed. */
const SKILL_INVOCATION_PREFIX = "[IMPORTANT: The user has invoked the ";

/** Stands between the two ends of a skill text that was shortened for a preview; no instruction reaches past it. */
export const EXCERPT_GAP = "\u001e";

const QUOTED_NAME = /^"([^"]*)"/;
const BUNDLE_MARKER = " skill bundle,";
const BUNDLE_INSTRUCTION = "\nUser instruction: ";
const BUNDLE_END = "\n\n[Loaded as part of the ";
const SKILL_MARKER = "The full skill content is loaded below.]";
const SKILL_INSTRUCTION = "The user has provided the following instruction alongside the skill invocation: ";
const SKILL_END = "\n\n[Runtime note:";

/**
 * What a reader should see of a skill invocation, `/name — instruction`, or the one of the two that is there. Null
 * for text that is not a skill invocation (letter case counts) or that has neither.
 */
export function skillDescription(text: string): string | null {
  if (!text.startsWith(SKILL_INVOCATION_PREFIX)) return null;
  const label = labelOf(text);
  const instruction = instructionOf(text);
  if (label !== "" && instruction !== "") return `${label} — ${instruction}`;
  return label || instruction || null;
}

function labelOf(text: string): string {
  const name = strip(QUOTED_NAME.exec(text.slice(SKILL_INVOCATION_PREFIX.length))?.[1] ?? "");
  return name === "" || name.startsWith("/") ? name : `/${name}`;
}

function instructionOf(text: string): string {
  const [beforeGap = ""] = strip(rawInstructionOf(text)).split(EXCERPT_GAP, 1);
  return splitSpaces(beforeGap).join(" ");
}

function rawInstructionOf(text: string): string {
  if (text.includes(BUNDLE_MARKER)) {
    return between(text, text.indexOf(BUNDLE_INSTRUCTION), BUNDLE_INSTRUCTION.length, BUNDLE_END);
  }
  if (text.includes(SKILL_MARKER)) {
    // The last one: the skill's own text, which stands before the user's, may quote the phrase.
    return between(text, text.lastIndexOf(SKILL_INSTRUCTION), SKILL_INSTRUCTION.length, SKILL_END);
  }
  return "";
}

/** The text after a marker found at `at` (-1: none) up to `end`, or up to the end of the text. */
function between(text: string, at: number, markerLength: number, end: string): string {
  if (at === -1) return "";
  const start = at + markerLength;
  const stop = text.indexOf(end, start);
  return stop === -1 ? text.slice(start) : text.slice(start, stop);
}
