import { firstCodePoints, strip } from "../values/text.js";
import { SPACE, WORD } from "./character-classes.js";

/** Code points of a query that are looked at. */
const MAX_QUERY_LENGTH = 2048;

/**
 * UTF-16 units beyond which phrases are no longer put back. A query without U+0000 never gets near it; one that
 * spells placeholders inside its own phrases would otherwise grow exponentially.
 */
const MAX_EXPANSION = 1 << 16;

const PHRASE = /"[^"]*"/gu;
const SYNTAX = /[+{}():"^]/gu;
const STARS = /\*+/gu;
const STRAY_STAR = new RegExp(`(^|[${SPACE}])\\*`, "gu");
const LEADING_OPERATOR = new RegExp(`^(?:AND|OR|NOT)(?![${WORD}])[${SPACE}]*`, "iu");
const TRAILING_OPERATOR = new RegExp(`[${SPACE}]+(?:AND|OR|NOT)[${SPACE}]*$`, "iu");
const JOINED_WORDS = new RegExp(`(?<![${WORD}])[${WORD}]+(?:[._-][${WORD}]+)+(?![${WORD}])`, "gu");

const placeholder = (index: number): string => `\0Q${index}\0`;

/**
 * Turns what a person typed into a full-text MATCH expression, the documented way: quoted phrases, `AND`, `OR`,
 * `NOT` and a trailing `*` keep their meaning; characters with a meaning in FTS5 only become spaces; terms joined
 * by `.`, `_` or `-` are quoted so that they are found whole.
 *
 * The answer can be empty, and it can still be no valid expression (`don't`, `docker AND OR`): see
 * {@link relaxFtsQuery} for what a search does then.
 */
export function sanitizeFtsQuery(query: string): string {
  const phrases: string[] = [];
  let text = firstCodePoints(query, MAX_QUERY_LENGTH);
  text = text.replace(PHRASE, (phrase) => placeholder(phrases.push(phrase) - 1));
  text = text.replace(SYNTAX, " ");
  text = text.replace(STARS, "*").replace(STRAY_STAR, "$1");
  text = strip(strip(text).replace(LEADING_OPERATOR, "")).replace(TRAILING_OPERATOR, "");
  text = text.replace(JOINED_WORDS, '"$&"');
  for (const [index, phrase] of phrases.entries()) {
    if (text.length > MAX_EXPANSION) break;
    text = text.replaceAll(placeholder(index), () => phrase);
  }
  return strip(text);
}
