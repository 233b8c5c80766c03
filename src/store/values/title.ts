import { LedgerError } from "../../events/ledger-error.js";
import { isTruthy } from "./truthiness.js";
import { codePointLength, collapseSpaces, scrubSurrogates, strip } from "./text.js";

/** Longest title that is stored, in code points. */
export const MAX_TITLE_LENGTH = 100;

/** A title is too long even after cleaning. */
export class TitleTooLongError extends LedgerError {
  /** Length of the cleaned title in code points. */
  readonly length: number;

  constructor(length: number) {
    super("validation", "TITLE_TOO_LONG", `Title too long (${String(length)} chars, max ${String(MAX_TITLE_LENGTH)})`);
    this.length = length;
  }
}

/** A title is neither text nor empty. */
export class TitleNotTextError extends LedgerError {
  constructor(title: unknown) {
    super("type", "TITLE_NOT_TEXT", `A title must be text, not a ${typeof title}. Nothing was written.`);
  }
}

/** Controls other than tab, LF, CR (C1 stays), zero-width and direction marks, separators, joiners, annotations. */
const REMOVED = /(?![\t\n\r\u0080-\u009f])\p{Cc}|[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc]/gu;

/**
 * The title as it is stored: lone surrogates replaced, invisible characters removed, white space collapsed and
 * stripped; null when nothing is left or nothing was given. No Unicode normalisation.
 *
 * @throws TitleTooLongError if more than 100 code points are left
 * @throws TitleNotTextError if the title is truthy and not text
 */
export function sanitizeTitle(title: unknown): string | null {
  if (!isTruthy(title)) return null;
  if (typeof title !== "string") throw new TitleNotTextError(title);
  const clean = strip(collapseSpaces(scrubSurrogates(title).replace(REMOVED, "")));
  if (clean === "") return null;
  const length = codePointLength(clean);
  if (length > MAX_TITLE_LENGTH) throw new TitleTooLongError(length);
  return clean;
}
