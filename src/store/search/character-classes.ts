/**
 * The character classes of the query language, as the inside of a regular-expression class (flag `u`).
 * They are the documented sets, not those of ECMAScript: `\s` has U+FEFF and lacks U+001C–001F and U+0085, and
 * `\w` is ASCII only.
 */

/** Space: separates the words of a query. */
export const SPACE = String.raw`\t-\r\u{1c}-\u{20}\u{85}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}`;

/** Word character: letters, numbers, `_`. No marks, no emoji. */
export const WORD = String.raw`\p{L}\p{N}_`;
