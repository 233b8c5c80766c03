import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { filesHolding, ledgerFile, rowsOf, tamper, type LedgerFile } from "../support/ledger-file.js";

const damages: [string, string][] = [
  ["its data zeroed", "UPDATE messages_fts_data SET block = zeroblob(length(block))"],
  ["its data overwritten", "UPDATE messages_fts_data SET block = x'ffffffffffffffffffff'"],
  ["text in the place of its data", "UPDATE messages_fts_data SET block = 'text'"],
  ["all of its data deleted", "DELETE FROM messages_fts_data"],
  ["its averages deleted", "DELETE FROM messages_fts_data WHERE id = 1"],
  ["its structure deleted", "DELETE FROM messages_fts_data WHERE id = 10"],
  ["the table of its data dropped", "DROP TABLE messages_fts_data"],
  ["the table of its pages dropped", "DROP TABLE messages_fts_idx"],
  ["the table of its sizes dropped", "DROP TABLE messages_fts_docsize"],
  ["the table of its settings dropped", "DROP TABLE messages_fts_config"],
  ["its version unknown", "UPDATE messages_fts_config SET v = 99 WHERE k = 'version'"],
  ["its version deleted", "DELETE FROM messages_fts_config"],
  ["the trigram's data zeroed", "UPDATE messages_fts_trigram_data SET block = zeroblob(length(block))"],
  ["the trigram's data dropped", "DROP TABLE messages_fts_trigram_data"],
  ["the trigram's pages dropped", "DROP TABLE messages_fts_trigram_idx"],
  ["the trigram's view dropped", "DROP VIEW messages_fts_trigram_src"],
  ["the index dropped", "DROP TABLE messages_fts"],
  ["both indexes dropped", "DROP TABLE messages_fts; DROP TABLE messages_fts_trigram"],
  ["its entry in the schema deleted", "DELETE FROM sqlite_schema WHERE name = 'messages_fts'"],
  ["a trigger dropped", "DROP TRIGGER messages_fts_insert"],
  [
    "all triggers dropped",
    ["messages_fts", "messages_fts_trigram"]
      .flatMap((index) => ["insert", "delete", "update"].map((event) => `DROP TRIGGER ${index}_${event}`))
      .join("; "),
  ],
];

function filled(): LedgerFile {
  const file = ledgerFile();
  file.session("s", "other");
  for (let i = 0; i < 30; i++) file.say("s", `oldword number ${i}`);
  return file;
}

/** What every damaged file must still do; `notices` are those of the store that met the damage. */
function stillWorks(file: Pick<LedgerFile, "db" | "notices" | "path">): void {
  const { db } = file;
  expect(db.appendMessage({ session_id: "s", role: "user", content: "newword here" })).toBe(31);
  expect(db.getMessages("s").at(-1)).toMatchObject({ content: "newword here" });
  expect(db.appendMessage({ session_id: "other", role: "user", content: "goneword" })).toBe(32);
  expect(db.deleteSession("other")).toBe(true);
  expect(db.verify().ok).toBe(true);
}

const found = (db: LedgerFile["db"], query: string): number => db.search(query, { limit: 100 }).total;

function isMended(file: Pick<LedgerFile, "db" | "path">): void {
  const { db, path } = file;
  expect([found(db, "oldword"), found(db, "newword"), found(db, "goneword")]).toEqual([30, 1, 0]);
  expect(db.search("oldword")).toMatchObject({ degraded: false, notice: null, route: "fts5" });
  expect(db.verify({ deep: true })).toMatchObject({ ok: true, index_problems: [] });
  const id = db.appendMessage({ session_id: "s", role: "user", content: "laterword" });
  expect(found(db, "laterword")).toBe(1);
  expect(rowsOf(path, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'laterword'")).toEqual([[id]]);
  expect(rowsOf(path, "SELECT key FROM state_meta WHERE key LIKE 'fts_rebuild%'")).toEqual([]);
}

describe("an index that is damaged while the store is closed", () => {
  test.each(damages)("%s: opened, written, searched and mended", (_, sql) => {
    const closed = filled();
    closed.db.close();
    tamper(closed.path, sql);
    const notices: LedgerFile["notices"] = [];
    const db = closed.another({ onNotice: (notice) => void notices.push(notice) });
    const file = { db, notices, path: closed.path };
    stillWorks(file);
    // Whoever searches finds everything, and is told when it was not the index that found it.
    expect([found(db, "oldword"), found(db, "newword"), found(db, "goneword")]).toEqual([30, 1, 0]);
    expect(notices).toMatchObject([
      { code: "search_index_damaged", message: expect.stringContaining("still stored") as unknown },
    ]);
    expect(db.search("oldword")).toMatchObject({ degraded: true });
    expect(db.search("oldword").notice).not.toBeNull();
    db.rebuildFts();
    isMended(file);
  });

  test.each(damages)("%s: mended by a rebuild of everything", (_, sql) => {
    const closed = filled();
    closed.say("s", "newword");
    closed.db.close();
    tamper(closed.path, sql);
    const db = closed.another();
    db.rebuild();
    isMended({ db, path: closed.path });
  });
});

describe("an index that is damaged while the store is open", () => {
  test.each(damages)("%s: the append commits, and a rebuild mends it", (_, sql) => {
    const file = filled();
    tamper(file.path, sql);
    stillWorks(file);
    file.db.rebuildFts();
    isMended(file);
  });
});

describe("a page of an index that holds noise", () => {
  test("keeps no message from being stored", () => {
    const file = filled();
    file.db.close();
    const [row] = rowsOf(file.path, "SELECT rootpage FROM sqlite_schema WHERE name = 'messages_fts_idx'") as [number][];
    const size = 4096;
    const bytes = readFileSync(file.path);
    bytes.fill(0xa5, ((row?.[0] ?? 0) - 1) * size, (row?.[0] ?? 0) * size);
    writeFileSync(file.path, bytes);
    const notices: LedgerFile["notices"] = [];
    const db = file.another({ onNotice: (notice) => void notices.push(notice) });
    expect(db.appendMessage({ session_id: "s", role: "user", content: "newword" })).toBe(31);
    expect(notices).toMatchObject([{ code: "search_index_damaged" }]);
    expect(found(db, "oldword")).toBe(30);
    db.rebuildFts();
    expect(found(db, "newword")).toBe(1);
    expect(db.search("oldword")).toMatchObject({ degraded: false });
  });

  test("damage of what is no index is not hidden", () => {
    const file = filled();
    file.db.close();
    const [row] = rowsOf(file.path, "SELECT rootpage FROM sqlite_schema WHERE name = 'idx_messages_session'") as [
      number,
    ][];
    const bytes = readFileSync(file.path);
    bytes.fill(0xa5, ((row?.[0] ?? 0) - 1) * 4096, (row?.[0] ?? 0) * 4096);
    writeFileSync(file.path, bytes);
    const db = file.another();
    expect(() => db.appendMessage({ session_id: "s", role: "user", content: "x" })).toThrow(
      expect.objectContaining({ kind: "corrupt" }),
    );
    expect(db.log.head().position).toBe(32);
    expect(rowsOf(file.path, "SELECT key FROM state_meta WHERE key LIKE 'fts_rebuild%'")).toEqual([]);
  });
});

describe("mending", () => {
  test("waits for nobody who asked not to wait, and changes nothing then", () => {
    const file = filled();
    file.db.close();
    tamper(file.path, "DROP TRIGGER messages_fts_insert");
    const other = new Database(file.path);
    other.exec("BEGIN IMMEDIATE");
    expect(() => file.another()).toThrow(expect.objectContaining({ kind: "locked" }));
    other.exec("ROLLBACK");
    other.close();
    expect(file.another().search("oldword").degraded).toBe(true);
  });

  test("a store that is only read leaves the damage alone", () => {
    const file = filled();
    file.db.close();
    tamper(file.path, "DROP TRIGGER messages_fts_insert");
    const reader = file.another({ readOnly: true });
    expect(found(reader, "oldword")).toBe(30);
    reader.close();
    expect(rowsOf(file.path, "SELECT count(*) FROM sqlite_schema WHERE name = 'messages_fts_insert'")).toEqual([[0]]);
  });

  test("a whole index is not touched", () => {
    const file = filled();
    file.db.close();
    const before = rowsOf(file.path, "SELECT id, block FROM messages_fts_data");
    const notices: unknown[] = [];
    file.another({ onNotice: (notice) => notices.push(notice) });
    expect(rowsOf(file.path, "SELECT id, block FROM messages_fts_data")).toEqual(before);
    expect(notices).toEqual([]);
  });

  test("erased words leave a damaged index, too", () => {
    const file = filled();
    file.say("other", "goneword in the index");
    // Only the segments are damaged, so that the deletion itself notices nothing.
    tamper(
      file.path,
      "UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id > 10 AND id < 687194767361",
    );
    file.db.deleteSession("other");
    expect(filesHolding(file.folder, "goneword")).toEqual([]);
    expect(file.db.search("oldword").total).toBe(30);
  });
});
