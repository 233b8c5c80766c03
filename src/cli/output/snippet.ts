import type { Style } from "./style.js";
import { oneLine, wrapText } from "./text.js";

/** Stand for the beginning and the end of a match while the text is wrapped; no text holds them afterwards. */
const OPEN = "\ue000";
const CLOSE = "\ue001";

/**
 * The part of a message around a match, on lines of so many columns, with the matches in colour, or between « and »
 * where there are no colours. Snippets without marks of their own get them wherever a word of the query stands.
 */
export function snippetLines(
  snippet: string,
  query: string,
  { style, width }: { readonly style: Style; readonly width: number },
): string[] {
  const text = oneLine(snippet.replace(/[\ue000\ue001]/g, ""));
  const marked = snippet.includes(">>>")
    ? text.replaceAll(">>>", OPEN).replaceAll("<<<", CLOSE)
    : text.replace(wordsOf(query), (word) => `${OPEN}${word}${CLOSE}`);
  let open = false;
  return wrapText(marked, width).map((line) => {
    const painted = paintLine(line, open, style);
    open = painted.open;
    return painted.text;
  });
}

function paintLine(line: string, openBefore: boolean, style: Style): { text: string; open: boolean } {
  if (!style.isColorSupported) return { text: line.replaceAll(OPEN, "«").replaceAll(CLOSE, "»"), open: openBefore };
  let open = openBefore;
  const parts = line.split(/([\ue000\ue001])/).map((part) => {
    if (part === OPEN || part === CLOSE) {
      open = part === OPEN;
      return "";
    }
    return open && part !== "" ? style.bold(style.yellow(part)) : part;
  });
  return { text: parts.join(""), open };
}

const NOTHING = /(?!)/g;

/** Matches any word of the query, whatever its letter case. */
function wordsOf(query: string): RegExp {
  const words = query.split(/[\s"*()]+/).filter((word) => word !== "" && !/^(AND|OR|NOT|NEAR)$/.test(word));
  const patterns = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return patterns.length === 0 ? NOTHING : new RegExp(patterns.join("|"), "giu");
}
