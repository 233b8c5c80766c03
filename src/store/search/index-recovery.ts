import type { Database } from "better-sqlite3";
import { messagesFtsCjk, messagesIndexes, withNames, type MessagesIndex } from "../../projections/index.js";
import { isDamage, isSearchIndexDamage, isSqliteError } from "../connection/sqlite-errors.js";

const MARKERS = "'fts_rebuild_high_water', 'fts_rebuild_progress'";

/** The triggers of `messages_fts_cjk`, by name; this process cannot run them without their tokenizer. */
const CJK_TRIGGERS = Object.keys(messagesFtsCjk.triggers);

/**
 * Takes damaged full-text indexes out of the way of writes: they are made anew and empty, and the documented markers
 * say that every message so far is still to be indexed, so search covers those by scanning. Run it inside a transaction.
 */
export function setIndexesAside(db: Database): void {
  dropTriggers(db);
  markAllUnindexed(db);
  remakeTables(db);
  makeTriggers(db);
}

/** Marks every message so far as not indexed yet: the triggers leave them alone, and search scans them. */
export function markAllUnindexed(db: Database): void {
  const highest = db.prepare<[], number | null>("SELECT max(id) FROM messages").pluck().get() ?? 0;
  clearMarkers(db);
  if (highest === 0) return;
  const mark = db.prepare("INSERT INTO state_meta (key, value) VALUES (?, ?)");
  mark.run("fts_rebuild_high_water", String(highest));
  mark.run("fts_rebuild_progress", "0");
}

/** Says that no filling of the indexes is pending. */
export function clearMarkers(db: Database): void {
  db.prepare(`DELETE FROM state_meta WHERE key IN (${MARKERS})`).run();
}

/** Whether the file has the triggers of an index whose tokenizer is missing here: no message could be written. */
export function hasCjkTriggers(db: Database): boolean {
  return (
    db
      .prepare<string[]>(`SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name IN (?, ?, ?)`)
      .get(...CJK_TRIGGERS) !== undefined
  );
}

/**
 * Takes the index of a tokenizer that is missing here out of the way of writes, as documented: the mark that it is
 * stale first, which keeps any process from serving it, then its triggers. Run it inside a transaction.
 */
export function setCjkIndexAside(db: Database): void {
  db.exec("INSERT OR REPLACE INTO state_meta (key, value) VALUES ('fts_cjk_stale', '1')");
  for (const trigger of CJK_TRIGGERS) db.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
}

/**
 * Drops the index of a tokenizer that is missing here, once it is no longer kept: it would go on holding deleted words,
 * cannot be merged without its tokenizer, and is made from nothing by whoever serves it again. The mark that it is stale
 * stays. Does nothing where there is none, or where it is kept.
 */
export function dropStaleCjkIndex(db: Database): void {
  const { name } = messagesFtsCjk;
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
  if (isThere && !hasCjkTriggers(db)) dropIndex(db, messagesFtsCjk);
}

/**
 * Makes the full-text indexes anew and fills them from the messages, in one transaction; clears the markers of an
 * unfinished rebuild. Returns the number of indexes made. Run it inside a transaction.
 */
export function rebuildSearchIndexes(db: Database): number {
  dropTriggers(db);
  remakeTables(db);
  makeTriggers(db);
  fillSearchIndexes(db);
  return messagesIndexes.length;
}

/** Fills the full-text indexes from all messages; nothing is left to do for an unfinished rebuild then. */
export function fillSearchIndexes(db: Database): void {
  for (const { name } of messagesIndexes) db.exec(`INSERT INTO ${name}(${name}) VALUES ('rebuild')`);
  clearMarkers(db);
}

/** Names of tables, views and triggers that the full-text indexes need and the file lacks. */
export function missingSearchParts(db: Database): string[] {
  const there = new Set(db.prepare<[], string>("SELECT name FROM sqlite_schema").pluck().all());
  return messagesIndexes.flatMap(partsOf).filter((part) => !there.has(part));
}

/** Parts of the full-text indexes that are missing or damaged; looks through their tables, but not at what they say. */
export function damagedSearchParts(db: Database): string[] {
  const missing = missingSearchParts(db);
  if (missing.length > 0) return missing;
  return messagesIndexes.flatMap(({ name }) => shadowsOf(name)).filter((table) => isDamaged(db, table));
}

function isDamaged(db: Database, table: string): boolean {
  try {
    return db.pragma(`quick_check(${table})`, { simple: true }) !== "ok";
  } catch (error) {
    if (isSqliteError(error)) return isDamage(error);
    throw error;
  }
}

function partsOf({ name, source, triggers }: MessagesIndex): string[] {
  return [name, ...shadowsOf(name), ...(source === null ? [] : [`${name}_src`]), ...Object.keys(triggers)];
}

/** Drops the full-text indexes, damaged or not, with their triggers and views. Run it inside a transaction. */
export function dropSearchIndexes(db: Database): void {
  dropTriggers(db);
  for (const index of messagesIndexes) dropIndex(db, index);
}

function dropIndex(db: Database, { name, source }: MessagesIndex): void {
  dropTable(db, name);
  if (source !== null) db.exec(`DROP VIEW IF EXISTS ${name}_src`);
}

function dropTriggers(db: Database): void {
  for (const { triggers } of messagesIndexes) {
    for (const trigger of Object.keys(triggers)) db.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
  }
}

function makeTriggers(db: Database): void {
  for (const { triggers } of messagesIndexes) {
    for (const sql of Object.values(triggers)) db.exec(withNames(sql, (name) => name));
  }
}

function remakeTables(db: Database): void {
  for (const { name, source, table } of messagesIndexes) {
    dropTable(db, name);
    if (source !== null) {
      db.exec(`DROP VIEW IF EXISTS ${name}_src`);
      db.exec(withNames(source, (stored) => stored));
    }
    db.exec(withNames(table, (stored) => stored));
  }
}

function dropTable(db: Database, name: string): void {
  if (!shadowsOf(name).some((shadow) => isDamaged(db, shadow)) && dropped(db, name)) return;
  completeShadowTables(db, name);
  db.exec(`DROP TABLE ${name}`);
}

function dropped(db: Database, name: string): boolean {
  try {
    db.exec(`DROP TABLE IF EXISTS ${name}`);
    for (const shadow of Object.keys(SHADOW_TABLES)) dropLeftover(db, `${name}${shadow}`);
    return true;
  } catch (error) {
    if (isSearchIndexDamage(error)) return false;
    throw error;
  }
}

function shadowsOf(index: string): string[] {
  return Object.keys(SHADOW_TABLES).map((shadow) => `${index}${shadow}`);
}

/** The hidden tables of an external-content FTS5 index, and what a new one holds. */
const SHADOW_TABLES: Readonly<Record<string, string>> = {
  _data: "(id INTEGER PRIMARY KEY, block BLOB)",
  _idx: "(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
  _docsize: "(id INTEGER PRIMARY KEY, sz BLOB)",
  _config: "(k PRIMARY KEY, v) WITHOUT ROWID",
};

/** An index with a hidden table missing can be neither opened nor dropped; with an empty one in its place it can. */
function completeShadowTables(db: Database, name: string): void {
  db.unsafeMode(true);
  try {
    for (const [shadow, columns] of Object.entries(SHADOW_TABLES)) {
      dropOrForget(db, `${name}${shadow}`);
      db.exec(`CREATE TABLE ${name}${shadow}${columns}`);
    }
    db.exec(`INSERT INTO ${name}_config VALUES ('version', 4)`);
  } finally {
    db.unsafeMode(false);
  }
}

/**
 * A table whose own pages are damaged cannot be dropped, and a failed attempt spoils the transaction. Without its entry
 * the pages stay unused until the next vacuum.
 */
function dropOrForget(db: Database, table: string): void {
  if (!isDamaged(db, table)) {
    db.exec(`DROP TABLE IF EXISTS ${table}`);
    return;
  }
  db.pragma("writable_schema = ON");
  try {
    db.prepare("DELETE FROM sqlite_schema WHERE tbl_name = ?").run(table);
  } finally {
    db.pragma("writable_schema = RESET");
  }
}

/** A hidden table whose index is gone keeps a new index from being made. */
function dropLeftover(db: Database, name: string): void {
  db.unsafeMode(true);
  try {
    db.exec(`DROP TABLE IF EXISTS ${name}`);
  } finally {
    db.unsafeMode(false);
  }
}
