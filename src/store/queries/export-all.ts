import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../rows.js";
import type { ExportedSession } from "./export-session.js";
import { getMessages } from "./get-messages.js";
import { LAST_ACTIVE_SQL } from "./last-active.js";
import { SESSION_COLUMNS } from "./session-row.js";
import type { SessionRow } from "../../projections/sessions.js";

/** A session of a full export: with the time of its last activity (epoch seconds). */
export interface ExportedListedSession extends ExportedSession {
  readonly last_active: number;
}

/** Which sessions to export. */
export interface ExportAllOptions {
  /** Only sessions from there. */
  readonly source?: string | null | undefined;
}

/** How many sessions fit into one array, as documented. */
const ARRAY_LIMIT = 100_000;

/** Runs a query on an open store. */
type Read = <T>(body: (db: Database) => T) => T;

/** All sessions, continuations and archived ones included, the last active first; the first 100,000. */
export function exportAll(db: Database, options: ExportAllOptions = {}): ExportedListedSession[] {
  return db.transaction(() =>
    sessionIds(db, options)
      .slice(0, ARRAY_LIMIT)
      .flatMap((id) => exportListed(db, id) ?? []),
  )();
}

/**
 * The same sessions without a limit, one by one: only the ids are held, and between two sessions the store is free for
 * other work. Which sessions there are and their order are those of the beginning; each is as it is when it is reached,
 * and one that has been deleted by then is left out.
 */
export function* exportEach(
  read: Read,
  options: ExportAllOptions = {},
): Generator<ExportedListedSession, void, undefined> {
  for (const id of read((db) => sessionIds(db, options))) {
    const session = read((db) => exportListed(db, id));
    if (session !== null) yield session;
  }
}

function sessionIds(db: Database, { source }: ExportAllOptions): string[] {
  return allRows<{ id: string }>(db, IDS, { source: source || null }).map(({ id }) => id);
}

function exportListed(db: Database, sessionId: string): ExportedListedSession | null {
  return db.transaction(() => {
    const row = firstRow<SessionRow & { last_active: number }>(db, LISTED, sessionId);
    return row === undefined ? null : { ...row, messages: getMessages(db, sessionId) };
  })();
}

const IDS = `SELECT s.id FROM sessions s WHERE @source IS NULL OR s.source = @source
  ORDER BY ${LAST_ACTIVE_SQL} DESC, s.started_at DESC, s.id DESC`;
const LISTED = `SELECT ${SESSION_COLUMNS}, ${LAST_ACTIVE_SQL} AS last_active FROM sessions s WHERE s.id = ?`;
