import { getNextTitleInLineage, getSessionTitle } from "../queries/session-titles.js";
import { firstRow } from "../rows.js";
import { TitleInUseError } from "../rules/rule-errors.js";
import { codePointLength, firstCodePoints, rstrip } from "../values/text.js";
import { MAX_TITLE_LENGTH, sanitizeTitle } from "../values/title.js";
import type { WriteTransaction } from "../write-transaction.js";

/**
 * Sets the title of a session, cleaned; an empty one clears it. A title that a session has which compression ended on
 * the way to this one moves here. Returns whether the session exists. Emits TitleSet.
 *
 * @throws TitleTooLongError; TitleInUseError, also when the session does not exist
 */
export function setSessionTitle(tx: WriteTransaction, sessionId: string, title: string | null): boolean {
  const clean = sanitizeTitle(title);
  const holder = clean === null ? undefined : holderOf(tx, sessionId, clean);
  if (clean !== null && holder !== undefined && !isCompressionAncestor(tx, sessionId, holder.id)) {
    throw new TitleInUseError(clean, { ...holder, archived: holder.archived !== 0 });
  }
  if (!exists(tx, sessionId)) return false;
  if (getSessionTitle(tx.db, sessionId) === clean) return true;
  const released_from = holder?.id ?? null;
  if (released_from !== null) tx.append({ type: "TitleSet", payload: { session_id: released_from, title: null } });
  tx.append({ type: "TitleSet", payload: { session_id: sessionId, title: clean, released_from } });
  return true;
}

/**
 * Gives an untitled session a title. Returns false when the session is unknown or has one; true for an empty title too,
 * which changes nothing. Emits TitleSet.
 *
 * @throws TitleTooLongError, TitleInUseError
 */
export function setAutoTitleIfEmpty(tx: WriteTransaction, sessionId: string, title: string | null): boolean {
  if (!exists(tx, sessionId) || getSessionTitle(tx.db, sessionId) !== null) return false;
  return setSessionTitle(tx, sessionId, title);
}

/**
 * Gives an untitled session a title that no person chose, with the next free number when another session has it.
 * Returns the title it got, or null when the session is unknown, has a title, or would get an empty one. Emits TitleSet.
 *
 * @throws TitleTooLongError
 */
export function setAutoTitle(tx: WriteTransaction, sessionId: string, title: string | null): string | null {
  if (!exists(tx, sessionId) || getSessionTitle(tx.db, sessionId) !== null) return null;
  const clean = sanitizeTitle(title);
  if (clean === null) return null;
  const holder = holderOf(tx, sessionId, clean);
  const free = holder === undefined || isCompressionAncestor(tx, sessionId, holder.id) ? clean : nextFree(tx, clean);
  setSessionTitle(tx, sessionId, free);
  return free;
}

/** The title with the next number; what would be too long with it is cut before the number. */
function nextFree(tx: WriteTransaction, title: string): string {
  let base = title;
  for (;;) {
    const next = getNextTitleInLineage(tx.db, base);
    const excess = codePointLength(next) - MAX_TITLE_LENGTH;
    if (excess <= 0) return next;
    base = rstrip(firstCodePoints(base, codePointLength(base) - excess));
  }
}

function exists(tx: WriteTransaction, sessionId: string): boolean {
  return firstRow(tx.db, "SELECT 1 FROM sessions WHERE id = ?", sessionId) !== undefined;
}

interface Holder {
  readonly id: string;
  readonly source: string;
  readonly archived: number;
}

function holderOf(tx: WriteTransaction, sessionId: string, title: string): Holder | undefined {
  const sql = "SELECT id, source, archived FROM sessions WHERE title = ? AND id <> ?";
  return firstRow<Holder>(tx.db, sql, title, sessionId);
}

function isCompressionAncestor(tx: WriteTransaction, sessionId: string, ancestorId: string): boolean {
  return firstRow(tx.db, COMPRESSION_ANCESTOR, { session_id: sessionId, ancestor_id: ancestorId }) !== undefined;
}

// UNION drops what was there already, so a cycle of parents ends.
const COMPRESSION_ANCESTOR = `
  WITH RECURSIVE ancestors(id) AS (
    SELECT @session_id
    UNION
    SELECT p.id FROM ancestors JOIN sessions c ON c.id = ancestors.id JOIN sessions p ON p.id = c.parent_session_id
     WHERE p.end_reason = 'compression'
  )
  SELECT 1 FROM ancestors WHERE id = @ancestor_id`;
