import { lstrip } from "../values/text.js";

/**
 * Memory that was put into a prompt for one turn is fenced with `<memory-context>` tags and introduced by a system
 * note. Neither is part of what was said, so neither goes back to a model.
 *
 * Each step takes time in proportion to the text. One expression for a whole block or note would not: where its end
 * is missing, it scans to the end of the text again from every beginning.
 */

/** White space as the documented behaviour has it; `\s` differs at U+001C-001F, U+0085 and U+FEFF. */
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";

const FENCE_OPEN = new RegExp(`<${SPACE}*memory-context${SPACE}*>`, "giu");
const FENCE_CLOSE = new RegExp(`</${SPACE}*memory-context${SPACE}*>`, "giu");
const ANY_FENCE = new RegExp(`</?${SPACE}*memory-context${SPACE}*>`, "giu");
/** A note without its closing bracket, at the end of a text that ends with a full stop. */
const NOTE_AT_END = new RegExp(
  `\\[System note:${SPACE}*The following is recalled memory context,${SPACE}*NOT new user input\\.${SPACE}*Treat as ` +
    "(?:informational background data|authoritative reference data[^]*)\\.$",
  "iu",
);

/** The text without recalled memory: fenced blocks, then notes, then fences that have no partner. */
export function cleanContext(text: string): string {
  return withoutNotes(withoutFencedBlocks(text)).replace(ANY_FENCE, "");
}

/** Removes each opening fence up to the nearest closing one. */
function withoutFencedBlocks(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const open = firstMatch(FENCE_OPEN, text, from);
    const close = open === null ? null : firstMatch(FENCE_CLOSE, text, open.end);
    if (open === null || close === null) break;
    kept.push(text.slice(from, open.start));
    from = close.end;
  }
  return from === 0 ? text : kept.join("") + text.slice(from);
}

/** Removes each note and the white space after it. A note holds one closing bracket, its last character. */
function withoutNotes(text: string): string {
  const pieces = text.split("]");
  let kept = "";
  let afterNote = false;
  for (const [index, piece] of pieces.entries()) {
    const part: string = afterNote ? lstrip(piece) : piece;
    const isLast = index === pieces.length - 1;
    const note: number = !isLast && part.endsWith(".") ? part.search(NOTE_AT_END) : -1;
    afterNote = note !== -1;
    kept += afterNote ? part.slice(0, note) : part + (isLast ? "" : "]");
  }
  return kept;
}

function firstMatch(pattern: RegExp, text: string, from: number): { start: number; end: number } | null {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? null : { start: match.index, end: match.index + match[0].length };
}
