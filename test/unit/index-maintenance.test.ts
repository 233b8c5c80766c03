import { expect, test } from "vitest";
import type { FtsStorageProgress } from "../../src/store/search/index-maintenance.js";
import { indexState, openRaw } from "../support/index-state.js";
import { conversationIndex, indexStatements } from "../../src/projections/messages-fts.js";
import { withNames } from "../../src/projections/projection-sql.js";
import { filesHolding, ledgerFile, rowsOf, tamper, type LedgerFile } from "../support/ledger-file.js";

const HEALTHY = { layout: "current", integrity: { base: "ok", trigram: "ok" } };
const CJK_GATE = { highWater: "fts_cjk_rebuild_high_water", progress: "fts_cjk_rebuild_progress" };
const plainNames = (sql: string): string => withNames(sql, (name) => name);
const markers = (path: string) => rowsOf(path, "SELECT key, value FROM state_meta WHERE key LIKE 'fts_rebuild%'");

function filled(count = 6): LedgerFile {
  const file = ledgerFile();
  file.session("s");
  for (let i = 1; i <= count; i++) file.say("s", `needle ${i}`);
  return file;
}

/** Empties both indexes and marks everything as not indexed, as an interrupted rebuild leaves it. */
function interrupt(path: string, highWater: string, progress: string | null): void {
  tamper(
    path,
    `INSERT INTO messages_fts(messages_fts) VALUES ('delete-all');
     INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES ('delete-all');
     INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '${highWater}')`,
  );
  if (progress !== null) tamper(path, `INSERT INTO state_meta VALUES ('fts_rebuild_progress', '${progress}')`);
}

test("making the indexes anew in the middle of a backfill ends it, and no row is indexed twice", () => {
  const { db, path } = filled();
  interrupt(path, "6", "2");
  expect(db.rebuildFts()).toBe(2);
  expect(markers(path)).toEqual([]);
  expect(db.ftsRebuildStep()).toBe(false);
  expect(indexState(path, HEALTHY).integrity).toEqual(HEALTHY.integrity);
  expect(db.search("needle").total).toBe(6);
});

test("a step that is repeated indexes no row twice", () => {
  const { db, path } = filled();
  interrupt(path, "6", "0");
  tamper(path, "INSERT INTO messages_fts(rowid, content) SELECT id, content FROM messages WHERE id IN (2, 5)");
  expect(db.ftsRebuildStep()).toBe(false);
  expect(indexState(path, HEALTHY)).toMatchObject({ ...HEALTHY, indexed_ids: { base: [1, 2, 3, 4, 5, 6] } });
});

test.each(["0", "-3", "soon"])("a high water of %s ends at once", (highWater) => {
  const { db, path } = filled();
  tamper(path, `INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '${highWater}')`);
  expect(db.ftsRebuildStatus()).toBeNull();
  expect(db.ftsOptimizeAvailable()).toBe(true);
  expect(db.optimizeFtsStorage({ vacuum: false })).toEqual({ ok: true, vacuumed: null });
  expect(markers(path)).toEqual([]);
  expect(indexState(path, HEALTHY).integrity).toEqual(HEALTHY.integrity);
});

test("the end takes in what was missed far from the high water", () => {
  const { db, path } = filled();
  // Message 5 stands 2,000 ids after the others, and its index entries are lost.
  openRaw(path, (raw) => {
    raw.exec("DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_trigram_insert");
    raw.exec(
      "INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (2006, 's', 'user', 'needle far', 1)",
    );
    raw.exec("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '6'), ('fts_rebuild_progress', '6')");
  });
  expect(db.ftsRebuildStep()).toBe(false);
  expect(indexState(path, HEALTHY)).toMatchObject({ ...HEALTHY, indexed_ids: { base: [1, 2, 3, 4, 5, 6, 2006] } });
});

test("filling tells how far it is, lets a second process end it, and gives space back when asked", () => {
  const file = filled(1203);
  interrupt(file.path, "1203", "0");
  const told: FtsStorageProgress[] = [];
  const result = file.db.optimizeFtsStorage({
    progress_callback(progress) {
      told.push(progress);
      if (progress.indexed === 500) expect(file.another().ftsRebuildStep()).toBe(true);
    },
  });
  expect(result).toEqual({ ok: true, vacuumed: true });
  expect(told.map(({ phase, percent }) => `${phase} ${percent}`)).toEqual([
    "backfill 0",
    "backfill 41",
    "backfill 100",
    "teardown 100",
    "vacuum 100",
    "done 100",
  ]);
  expect(file.db.search("needle", { limit: 1 })).toMatchObject({ total: 1203, degraded: false });
  expect(file.db.verify({ deep: true }).ok).toBe(true);
});

test("a read-only store says so and changes nothing", () => {
  const file = filled();
  interrupt(file.path, "6", "0");
  file.db.close();
  const reader = file.another({ readOnly: true });
  expect(reader.ftsOptimizeAvailable()).toBe(false);
  expect(reader.ftsRebuildStep()).toBe(false);
  expect(reader.optimizeFtsStorage()).toEqual({ ok: false, reason: "read_only" });
  expect(reader.ftsRebuildStatus()).toEqual({ pending: true, total: 6, indexed: 0, percent: 0 });
  expect(markers(file.path)).toHaveLength(2);
});

test("merging counts the indexes", () => {
  expect(filled().db.optimizeFts()).toBe(2);
});

test("deleted words leave an index of a missing tokenizer, too", () => {
  const file = filled();
  file.session("gone");
  file.db.close();
  // As a program with the tokenizer leaves it: its own index, kept by its own triggers.
  tamper(
    file.path,
    indexStatements(conversationIndex("messages_fts_cjk", "unicode61", CJK_GATE))
      .map(plainNames)
      .join(";"),
  );
  tamper(
    file.path,
    `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('gone', 'user', 'secretword', 1);
     UPDATE sqlite_schema SET sql = replace(sql, 'unicode61', 'cjk_unicode61') WHERE name = 'messages_fts_cjk'`,
  );
  const db = file.another();
  expect(filesHolding(file.folder, "secretword")).not.toEqual([]);
  expect(db.deleteSession("gone")).toBe(true);
  expect(filesHolding(file.folder, "secretword")).toEqual([]);
  expect(cjkState(file.path)).toEqual({ stale: [["1"]], triggers: [] });
  expect(rowsOf(file.path, "SELECT name FROM sqlite_schema WHERE name LIKE 'messages_fts_cjk%'")).toEqual([]);
  expect(db.search("needle").total).toBe(6);
});

/** A trigger of another program's index, whose tokenizer is missing here. */
const FOREIGN = `CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN
  SELECT RAISE(ABORT, 'no such tokenizer: cjk_unicode61'); END`;
const cjkState = (path: string) => ({
  stale: rowsOf(path, "SELECT value FROM state_meta WHERE key = 'fts_cjk_stale'"),
  triggers: rowsOf(path, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'messages_fts_cjk%'"),
});

test.each(["before it is opened", "while it is open"])(
  "an index of a tokenizer that is missing here, made %s, never stops a message",
  (when) => {
    const file = filled();
    if (when === "before it is opened") file.db.close();
    tamper(file.path, FOREIGN);
    const notices: string[] = [];
    const db =
      when === "before it is opened" ? file.another({ onNotice: ({ code }) => void notices.push(code) }) : file.db;
    db.appendMessage({ session_id: "s", role: "user", content: "needle 7" });
    expect(cjkState(file.path)).toEqual({ stale: [["1"]], triggers: [] });
    expect([...notices, ...file.notices.map(({ code }) => code)]).toEqual(["cjk_index_stale"]);
    expect(markers(file.path)).toEqual([]);
    expect(db.search("needle")).toMatchObject({ total: 7, degraded: false });
    expect(db.verify({ deep: true }).ok).toBe(true);
  },
);
