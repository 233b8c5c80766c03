const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Code points that take two columns: East Asian wide and full-width ones. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0x4dbf],
  [0x4e00, 0xa4c6],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f251],
  [0x20000, 0x3fffd],
];

const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const ONLY_MARKS = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** How many columns of a terminal a text takes; it must hold no control characters. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (ONLY_MARKS.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  const code = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** The text cut to so many columns, with `…` where something was cut off. */
export function fitText(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const [head] = splitAt(text, Math.max(columns - 1, 0));
  return columns > 0 ? `${head}…` : "";
}

/** The text filled up with spaces to so many columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(columns - displayWidth(text), 0));
}

/** Divides a text into what fits into so many columns and the rest. */
function splitAt(text: string, columns: number): [string, string] {
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns) return [text.slice(0, index), text.slice(index)];
  }
  return [text, ""];
}

/**
 * The lines of a text, none wider than so many columns: broken at spaces, between wide characters, and inside a word only
 * where it is longer than a line. Line breaks and indentation of the text stay.
 */
export function wrapText(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(columns, 2)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (displayWidth(rest) > columns) {
    const [head, tail] = splitAt(rest, columns);
    const cut = tail.startsWith(" ") ? head.length : breakBefore(head, tail);
    const end = cut > 0 ? cut : head.length || rest.length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^ +/, "");
  }
  return [...lines, rest];
}

const WIDE_LETTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** What does not begin a line in East Asian text. */
const CLOSING = /^[、。，．・：；！？）」』】》”’…ー％]/u;

/** Where to break a line that ends inside `head`: after its last space, or where wide characters meet. */
function breakBefore(head: string, tail: string): number {
  const parts = [...graphemes.segment(head)];
  let next = tail;
  for (const { segment, index } of parts.reverse()) {
    if (segment === " ") return head.slice(0, index).trim() === "" ? 0 : index;
    const breaks = WIDE_LETTER.test(segment) || /^[、。，：；！？]/u.test(segment);
    if (breaks && !CLOSING.test(next)) return index + segment.length;
    next = segment;
  }
  return 0;
}

/**
 * A text as it may go to a terminal: transcripts hold escape sequences and other control characters, which must not steer
 * the reader's terminal. They become visible signs; line feeds stay, tabs become spaces.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .replace(/[\x00-\x09\x0b-\x1f]/g, (control) => String.fromCodePoint(0x2400 + control.charCodeAt(0)))
    .replaceAll("\x7f", "\u2421")
    .replace(/[\x80-\x9f\u2028\u2029]/g, "\ufffd")
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

/** {@link visibleText} on one line: white space of any length becomes one space. */
export function oneLine(text: string): string {
  return visibleText(text.replace(/\s+/g, " ").trim());
}
