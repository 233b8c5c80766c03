/**
 * Memory that was put into a prompt for one turn is fenced with `<memory-context>` tags and introduced by a system
 * note. Neither is part of what was said, so neither goes back to a model.
 */

/** White space as the documented behaviour has it; `\s` differs at U+001C-001F, U+0085 and U+FEFF. */
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";

const FENCE_OPEN = new RegExp(`<${SPACE}*memory-context${SPACE}*>`, "giu");
const FENCE_CLOSE = new RegExp(`</${SPACE}*memory-context${SPACE}*>`, "giu");
const ANY_FENCE = new RegExp(`</?${SPACE}*memory-context${SPACE}*>`, "giu");
const RECALL_NOTE = new RegExp(
  `\\[System note:${SPACE}*The following is recalled memory context,${SPACE}*NOT new user input\\.${SPACE}*Treat as ` +
    `(?:informational background data|authoritative reference data[^\\]]*)\\.\\]${SPACE}*`,
  "giu",
);

/** The text without recalled memory: fenced blocks, then notes, then fences that have no partner. */
export function cleanContext(text: string): string {
  return withoutFencedBlocks(text).replace(RECALL_NOTE, "").replace(ANY_FENCE, "");
}

/**
 * Removes each opening fence up to the nearest closing one. Looks for the two in turn instead of with one lazy
 * expression, which would scan to the end of the text again for every opening fence that is never closed.
 */
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

function firstMatch(pattern: RegExp, text: string, from: number): { start: number; end: number } | null {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? null : { start: match.index, end: match.index + match[0].length };
}
