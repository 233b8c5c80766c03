import type { Database } from "better-sqlite3";
import { messagesIndexes, type MessagesIndex } from "../../projections/index.js";
import { firstRow } from "../rows.js";
import { statement } from "../statements.js";
import { indexGap } from "./index-gap.js";
import { clearMarkers, markAllUnindexed } from "./index-recovery.js";

/** Ids that one step of a backfill covers. */
export const BACKFILL_IDS = 500;

/** How far an unfinished filling of the full-text indexes has come; in ids of messages, not in rows. */
export interface IndexBackfill {
  readonly pending: true;
  /** The highest id it has to come to. */
  readonly total: number;
  /** The highest id it has come to. */
  readonly indexed: number;
  /** Whole percent of the ids, at most 100. */
  readonly percent: number;
}

/**
 * How far an unfinished filling of the indexes has come, or null when none is pending. The markers are read as the
 * triggers read them, so that this is exactly what the indexes lack.
 */
export function indexBackfill(db: Database, prefix: "fts_" | "fts_cjk_" = "fts_"): IndexBackfill | null {
  const gap = indexGap(db, prefix);
  if (gap === null) return null;
  const { after: indexed, up_to: total } = gap;
  return { pending: true, total, indexed, percent: Math.min(100, Math.floor((100 * indexed) / total)) };
}

/** Whether the indexes lack something that filling them puts right: a backfill is pending, or all of it is missing. */
export function needsBackfill(db: Database): boolean {
  return markers(db).marked === 1 || isEmptyBesideMessages(db);
}

/**
 * Indexes the messages of the next ids, 500 by default, or ends the backfill; true while there is more. A message that is
 * indexed already is passed over, so that a step may be repeated and the indexes made anew in between. Where the markers
 * do not say how far it came, nothing is done: {@link repairMarkers} comes first. Run it inside a transaction.
 */
export function backfillStep(db: Database, ids = BACKFILL_IDS): boolean {
  const { marked, progress } = markers(db);
  const gap = indexGap(db);
  if (gap !== null) {
    if (progress === 0) return false;
    const upTo = Math.min(gap.after + ids, gap.up_to);
    for (const index of messagesIndexes) statement(db, fillRange(index)).run(gap.after, upTo);
    statement(db, PROGRESS).run(String(upTo));
    if (upTo < gap.up_to) return true;
  }
  if (marked === 1) finish(db);
  return false;
}

/**
 * Puts the markers in order before a backfill: one that does not say how far it came begins again, and indexes that are
 * empty beside messages are to be filled. Run it inside a transaction.
 */
export function repairMarkers(db: Database): void {
  const { marked, progress } = markers(db);
  // Without progress the triggers take every row up to the high water for unindexed, whatever the indexes hold.
  if ((marked === 1 && progress === 0) || (marked === 0 && isEmptyBesideMessages(db))) {
    for (const { name } of messagesIndexes) db.exec(`INSERT INTO ${name}(${name}) VALUES ('delete-all')`);
    markAllUnindexed(db);
  }
}

/** Takes in whatever the indexes still lack, wherever it stands, and ends the backfill. */
function finish(db: Database): void {
  for (const index of messagesIndexes) db.exec(fillMissing(index));
  clearMarkers(db);
}

/** Which markers there are, 0 or 1 each: that of the highest id to come to, and that of the id it came to. */
function markers(db: Database): { readonly marked: number; readonly progress: number } {
  return firstRow<{ marked: number; progress: number }>(db, MARKED) ?? { marked: 0, progress: 0 };
}

function isEmptyBesideMessages(db: Database): boolean {
  return firstRow<{ empty: number }>(db, EMPTY)?.empty === 1;
}

function fillRange(index: MessagesIndex): string {
  return `${fill(index)} WHERE s.id > ? AND s.id <= ? AND NOT EXISTS (
    SELECT 1 FROM ${index.name}_docsize d WHERE d.id = s.id)`;
}

function fillMissing(index: MessagesIndex): string {
  return `${fill(index)} WHERE s.id IN (SELECT id FROM messages EXCEPT SELECT id FROM ${index.name}_docsize)`;
}

function fill({ name, source }: MessagesIndex): string {
  return `INSERT INTO ${name} (rowid, content, tool_name, tool_calls)
    SELECT s.id, s.content, s.tool_name, s.tool_calls FROM ${source === null ? "messages" : `${name}_src`} s`;
}

const MARKED = `SELECT
  EXISTS (SELECT 1 FROM state_meta WHERE key = 'fts_rebuild_high_water') AS marked,
  EXISTS (SELECT 1 FROM state_meta WHERE key = 'fts_rebuild_progress') AS progress`;
const EMPTY = `SELECT EXISTS (SELECT 1 FROM messages) AND NOT EXISTS (SELECT 1 FROM messages_fts_docsize) AS empty`;
const PROGRESS = `INSERT INTO state_meta (key, value) VALUES ('fts_rebuild_progress', ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
