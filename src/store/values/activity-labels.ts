import { codePointLength, firstCodePoints, strip } from "./text.js";

const LONGEST_DESCRIPTION = 120;

/** Who can report an activity. */
const PROVENANCES: readonly string[] = [
  "unknown",
  "agent.compression",
  "agent.compression_timeout",
  "agent.compression_cooldown",
];

/** What a session is doing, as it is stored: stripped, at most 120 characters; `''` for nothing. */
export function activityDescription(text: string | null | undefined): string {
  const description = strip(text ?? "");
  if (codePointLength(description) <= LONGEST_DESCRIPTION) return description;
  return `${firstCodePoints(description, LONGEST_DESCRIPTION - 1)}…`;
}

/** Who reported it, as it is stored: one of the four known reporters, else `unknown`. */
export function activityProvenance(text: string | null | undefined): string {
  const provenance = strip(text ?? "");
  return PROVENANCES.includes(provenance) ? provenance : "unknown";
}
