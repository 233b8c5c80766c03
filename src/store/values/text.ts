/** Whether a code point is white space: Python's `str.isspace`, which neither `trim` nor `\s` of JavaScript is. */
export function isSpace(codePoint: number): boolean {
  if (codePoint > 0x20 && codePoint < 0x85) return false;
  return (
    codePoint === 0x20 ||
    (codePoint >= 0x09 && codePoint <= 0x0d) ||
    (codePoint >= 0x1c && codePoint <= 0x1f) ||
    codePoint === 0x85 ||
    codePoint === 0xa0 ||
    codePoint === 0x1680 ||
    (codePoint >= 0x2000 && codePoint <= 0x200a) ||
    codePoint === 0x2028 ||
    codePoint === 0x2029 ||
    codePoint === 0x202f ||
    codePoint === 0x205f ||
    codePoint === 0x3000
  );
}

// All white space lies in the basic plane, so code units can be tested one by one.
function skipSpaces(text: string, from: number): number {
  let i = from;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
}

function skipWord(text: string, from: number): number {
  let i = from;
  while (i < text.length && !isSpace(text.charCodeAt(i))) i++;
  return i;
}

/** The text without white space at its start. */
export function lstrip(text: string): string {
  return text.slice(skipSpaces(text, 0));
}

/** The text without white space at its end. */
export function rstrip(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text without white space at either end. */
export function strip(text: string): string {
  return lstrip(rstrip(text));
}

/** The words between runs of white space; none is empty. */
export function splitSpaces(text: string): string[] {
  const words: string[] = [];
  for (let start = skipSpaces(text, 0); start < text.length;) {
    const end = skipWord(text, start);
    words.push(text.slice(start, end));
    start = skipSpaces(text, end);
  }
  return words;
}

/** Every run of white space becomes one space, also at the ends. */
export function collapseSpaces(text: string): string {
  let out = "";
  let keptFrom = 0;
  for (let start = skipWord(text, 0); start < text.length;) {
    const end = skipSpaces(text, start);
    if (end > start + 1 || text[start] !== " ") {
      out += `${text.slice(keptFrom, start)} `;
      keptFrom = end;
    }
    start = skipWord(text, end);
  }
  return out + text.slice(keptFrom);
}

/** Whether the code units at `index` and `index + 1` are one code point. */
function isPairAt(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}

/** Length in code points; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i += isPairAt(text, i) ? 2 : 1) length++;
  return length;
}

/** The first `count` code points, or the whole text if it has fewer. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let n = 0; n < count && end < text.length; n++) end += isPairAt(text, end) ? 2 : 1;
  return text.slice(0, end);
}

/** The last `count` code points, or the whole text if it has fewer. */
export function lastCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let start = text.length;
  for (let n = 0; n < count && start > 0; n++) start -= isPairAt(text, start - 2) ? 2 : 1;
  return text.slice(start);
}

/** Whether the text holds a surrogate without its other half, so that it has no UTF-8 form. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

/** Replaces each lone surrogate by U+FFFD. */
export function scrubSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Escapes what is special in an SQL `LIKE` pattern, for use with `ESCAPE '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Lower case for A-Z only, as SQLite's `LOWER()` and `LIKE` see it. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const REPR_ESCAPES = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function escapeUnprintable(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  const hex = codePoint.toString(16);
  if (codePoint < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/**
 * The text in Python's quoting (`repr`), as the documented error texts show ids: single quotes, or double quotes if
 * it holds single but no double ones; what can't be printed is escaped.
 */
export function pythonRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\p{C}\p{Z}]/gu, (character) =>
    character === " " ? character : (REPR_ESCAPES.get(character) ?? escapeUnprintable(character)),
  );
  return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}
