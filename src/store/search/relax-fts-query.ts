import { SPACE, WORD } from "./character-classes.js";

/** A run without spaces outside of quotes, e.g. `docs/"my-app.md"*`. */
const CLUSTER = new RegExp(`(?:"[^"]*"|[^"${SPACE}])+`, "gu");
const PART = /"[^"]*"\*?|[^"]+/gu;
/** What FTS5 reads without quotes: its bareword characters, and the star of a prefix. */
const PLAIN = /^[A-Za-z0-9_\u{1a}*\u{80}-\u{10ffff}]*$/u;
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u;
/** What surrounds a term without being part of any word of it. */
const MARGIN = /^[^\p{L}\p{N}\p{M}\p{Co}_]+|[^\p{L}\p{N}\p{M}\p{Co}_]+$/gu;
const HOLDS_SPACE = new RegExp(`[${SPACE}]`, "u");
const WORD_START = new RegExp(`^[${WORD}]`, "u");
const WORD_END = new RegExp(`[${WORD}]$`, "u");

/**
 * Rewrites a sanitised query that FTS5 refuses so that it means what it plainly says: terms with punctuation
 * (`don't`, `foo/bar`, `C#`) are quoted whole, loose punctuation goes, and so do operators that have nothing to
 * connect (of several in a row the last counts). Phrases, `AND`, `OR`, `NOT` and the star of a prefix stay.
 *
 * Returns the empty text when nothing searchable is left.
 */
export function relaxFtsQuery(sanitized: string): string {
  const pieces = (sanitized.replaceAll("\0", " ").match(CLUSTER) ?? []).flatMap(quoteCluster);
  const kept: string[] = [];
  let operator: string | null = null;
  for (const piece of pieces) {
    if (isKeyword(piece)) {
      operator = piece;
      continue;
    }
    if (operator !== null && kept.length > 0) kept.push(operator);
    operator = null;
    kept.push(piece);
  }
  return kept.join(" ");
}

function isKeyword(piece: string): boolean {
  return piece === "AND" || piece === "OR" || piece === "NOT";
}

function quoteCluster(cluster: string): string[] {
  const parts = cluster.match(PART) ?? [];
  if (parts.every((part) => isPhrase(part) || (PLAIN.test(part) && !part.startsWith("*")))) {
    return parts.flatMap((part) => (isPhrase(part) ? [part] : plainWords(part)));
  }
  // The sanitiser quotes the joined words inside of `docs/my-app.md`; a phrase with spaces is one the user typed.
  if (parts.some((part) => isPhrase(part) && HOLDS_SPACE.test(part))) {
    return parts.flatMap((part) => (isPhrase(part) ? [part] : quoteText(part)));
  }
  return quoteText(parts.reduce(joinParts, "") + (cluster.endsWith("*") ? "*" : ""));
}

/** The words of `a*b`. FTS5 takes no star after a keyword, so the prefix `AND*` is quoted. */
function plainWords(text: string): string[] {
  return (text.match(/[^*]+\*?/gu) ?? []).map((word) => {
    const stem = word.replace("*", "");
    return stem !== word && isKeyword(stem) ? `"${stem}"*` : word;
  });
}

function isPhrase(part: string): boolean {
  return part.startsWith('"');
}

function joinParts(text: string, part: string): string {
  const inner = part.replaceAll('"', "").replace(/\*$/u, "");
  return WORD_END.test(text) && WORD_START.test(inner) ? `${text} ${inner}` : text + inner;
}

function quoteText(text: string): string[] {
  if (!SEARCHABLE.test(text)) return [];
  return [`"${text.replace(MARGIN, "")}"${text.endsWith("*") ? "*" : ""}`];
}
