import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../projections/sessions.js";
import { allRows, firstRow } from "../rows.js";
import { toInt } from "../values/numbers.js";
import { escapeLike } from "../values/text.js";
import { SESSION_COLUMNS } from "./session-row.js";

/** The title of a session, or null. */
export function getSessionTitle(db: Database, sessionId: string): string | null {
  return firstRow<{ title: string | null }>(db, "SELECT title FROM sessions WHERE id = ?", sessionId)?.title ?? null;
}

/** The session with exactly this title, or null. */
export function getSessionByTitle(db: Database, title: string): SessionRow | null {
  return firstRow<SessionRow>(db, `SELECT ${SESSION_COLUMNS} FROM sessions WHERE title = ?`, title) ?? null;
}

/** The newest session with the title and a number behind it (`title #2`), else the one with the title, else null. */
export function resolveSessionByTitle(db: Database, title: string): string | null {
  const numbered = firstRow<{ id: string }>(db, NEWEST_NUMBERED, numberedLike(title));
  return (numbered ?? firstRow<{ id: string }>(db, "SELECT id FROM sessions WHERE title = ?", title))?.id ?? null;
}

/**
 * The next title for a conversation that goes on: the title itself without its number while nothing has it, else with
 * the number after the highest that is in use.
 */
export function getNextTitleInLineage(db: Database, baseTitle: string): string {
  const base = NUMBERED.exec(baseTitle)?.[1] ?? baseTitle;
  const titles = allRows<{ title: string }>(db, TITLES, { base, numbered: numberedLike(base) });
  if (titles.length === 0) return base;
  // Numbers of any length: one that is no safe integer must not be counted up in floats.
  const highest = titles.map(({ title }) => numberOf(title)).reduce((a, b) => (a > b ? a : b), 1n);
  return `${base} #${highest + 1n}`;
}

/** A title with a number: everything up to the first ` #` that is followed by digits alone. */
const NUMBERED = /^([^\n]*?) #\p{Nd}+\n?$/u;
const LAST_NUMBER = /^[^\n]* #(\p{Nd}+)\n?$/u;

function numberOf(title: string): bigint {
  const digits = LAST_NUMBER.exec(title)?.[1];
  return BigInt(digits === undefined ? 1 : (toInt(digits) ?? 1));
}

function numberedLike(title: string): string {
  return `${escapeLike(title)} #%`;
}

const NEWEST_NUMBERED = `
  SELECT id FROM sessions WHERE title LIKE ? ESCAPE '\\' ORDER BY started_at DESC, id DESC LIMIT 1`;
const TITLES = "SELECT title FROM sessions WHERE title = @base OR title LIKE @numbered ESCAPE '\\'";
