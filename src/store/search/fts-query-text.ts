import { splitSpaces, strip } from "../values/text.js";

/** Inclusive code point ranges that send a query to the CJK routes. They differ from those of the CJK tokenizer. */
const ROUTER_CJK: readonly (readonly [number, number])[] = [
  [0x3000, 0x303f],
  [0x3040, 0x309f],
  [0x30a0, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0x20000, 0x2a6df],
];

/** What the choice of a search route depends on. */
export interface QueryFacts {
  /** The sanitised query without its outer quotes, trimmed. */
  readonly raw: string;
  /** `raw` split at spaces. */
  readonly tokens: readonly string[];
  /** The tokens that are no operator. */
  readonly terms: readonly string[];
  /** The sanitised query holds a router-CJK character. */
  readonly hasCjk: boolean;
  /** Number of router-CJK characters in `raw`. */
  readonly cjkCharacters: number;
  /** A term with router-CJK characters has fewer than three of them: the trigram index cannot find it. */
  readonly short: boolean;
  /** A router-CJK character stands alone between others: the CJK index, made of pairs, cannot find it. */
  readonly lone: boolean;
  /** The role filter asks for tool rows, which only the base index holds. */
  readonly wantsTool: boolean;
}

/** Whether a code point counts as CJK for the choice of a route. */
export function isRouterCjk(codePoint: number): boolean {
  return ROUTER_CJK.some(([first, last]) => codePoint >= first && codePoint <= last);
}

/** Whether a text holds a router-CJK character. */
export function hasRouterCjk(text: string): boolean {
  return countRouterCjk(text) > 0;
}

/** Whether a token is AND, OR or NOT in any letter case. */
export function isOperator(token: string): boolean {
  return /^(?:AND|OR|NOT)$/i.test(token);
}

/** A sanitised query without all leading and trailing double quotes, trimmed. */
export function stripOuterQuotes(sanitized: string): string {
  return strip(sanitized.replace(/^"+|"+$/g, ""));
}

/** Gathers what the choice of a route needs to know about a sanitised query and the role filter that came with it. */
export function describeRouting(
  sanitized: string,
  { roleFilter }: { readonly roleFilter?: readonly string[] | null | undefined } = {},
): QueryFacts {
  const raw = stripOuterQuotes(sanitized);
  const tokens = splitSpaces(raw);
  const terms = tokens.filter((token) => !isOperator(token));
  return {
    raw,
    tokens,
    terms,
    hasCjk: hasRouterCjk(sanitized),
    cjkCharacters: countRouterCjk(raw),
    short: terms.some((term) => hasRouterCjk(term) && countRouterCjk(term) < 3),
    lone: hasLoneCjk(raw),
    wantsTool: roleFilter?.includes("tool") ?? false,
  };
}

/**
 * The MATCH expression of the substring and CJK indexes: every token an exact phrase, operators as typed (FTS5
 * takes only upper case as an operator).
 */
export function phraseMatchText(raw: string): string {
  return splitSpaces(raw)
    .map((token) => (isOperator(token) ? token : `"${token.replaceAll('"', '""')}"`))
    .join(" ");
}

/** The substrings the LIKE scan looks for: the tokens that are no operator, or the whole text when there is none. */
export function likeTerms(raw: string): string[] {
  const terms = splitSpaces(raw).filter((token) => !isOperator(token));
  return terms.length > 0 ? terms : [raw];
}

function countRouterCjk(text: string): number {
  let count = 0;
  for (const character of text) if (isRouterCjk(character.codePointAt(0) ?? 0)) count++;
  return count;
}

function hasLoneCjk(text: string): boolean {
  let run = 0;
  for (const character of text) {
    if (isRouterCjk(character.codePointAt(0) ?? 0)) run++;
    else if (run === 1) return true;
    else run = 0;
  }
  return run === 1;
}
