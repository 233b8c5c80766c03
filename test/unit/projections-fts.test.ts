import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messages } from "../../src/projections/messages.js";
import {
  conversationIndex,
  indexStatements,
  messagesFts,
  messagesFtsTrigram,
} from "../../src/projections/messages-fts.js";
import { liveNames, withNames } from "../../src/projections/projection-sql.js";
import { freshTables, messageAppended, project, sessionCreated, storedEvent } from "../support/events.js";

let db: Database;
beforeEach(() => {
  db = freshTables();
  project(db, [sessionCreated("s1")]);
});
afterEach(() => {
  db.close();
});

function found(index: string, term: string): unknown[] {
  return db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid`).pluck().all(term);
}

function indexedIds(index: string): unknown[] {
  return db.prepare(`SELECT id FROM ${index}_docsize ORDER BY id`).pluck().all();
}

/** Compares an index with the text of its content table; throws when they differ. */
function checkIntegrity(...indexes: string[]): void {
  for (const index of indexes) db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
}

function marker(key: string, value: string): void {
  db.prepare("INSERT OR REPLACE INTO state_meta VALUES (?, ?)").run(key, value);
}

const BOTH = ["messages_fts", "messages_fts_trigram"] as const;

describe("without a pending backfill", () => {
  it("appended messages are found by words and by parts of words; tool results by words alone", () => {
    project(db, [
      messageAppended("s1", 1, { content: "deploying containers" }),
      messageAppended("s1", 2, { role: "tool", content: "deploying done", tool_name: "shell" }),
      messageAppended("s1", 3, { content: undefined, tool_calls: '[{"name": "grep"}]' }),
    ]);
    expect(found("messages_fts", "deploying")).toEqual([1, 2]);
    expect(found("messages_fts", "tool_name: shell")).toEqual([2]);
    expect(found("messages_fts", "grep")).toEqual([3]);
    expect(found("messages_fts_trigram", "ploy")).toEqual([1]);
    checkIntegrity(...BOTH);
  });

  it("rows that are rewritten or deleted leave both indexes", () => {
    const rewrite = { session_id: "s1", mode: "all" as const, through_id: 1, message_count: 1, tool_call_count: 0 };
    project(db, [
      messageAppended("s1", 1, { content: "before" }),
      storedEvent("TranscriptRewritten", {
        ...rewrite,
        messages: [{ id: 2, role: "user", timestamp: 1, content: "after" }],
      }),
    ]);
    expect([found("messages_fts", "before"), found("messages_fts_trigram", "before")]).toEqual([[], []]);
    expect([found("messages_fts", "after"), found("messages_fts_trigram", "after")]).toEqual([[2], [2]]);
    checkIntegrity(...BOTH);
  });

  it("leaving the live context does not touch the index", () => {
    project(db, [messageAppended("s1", 1, { content: "hidden words" })]);
    const before = db.prepare("SELECT count(*), sum(length(block)) FROM messages_fts_data").raw().get();
    project(db, [
      storedEvent("MessagesRewound", { session_id: "s1", from_id: 1, through_id: 1 }),
      storedEvent("MessageAnnotated", { session_id: "s1", message_id: 1, fields: { display_kind: "hidden" } }),
    ]);
    expect(db.prepare("SELECT count(*), sum(length(block)) FROM messages_fts_data").raw().get()).toEqual(before);
    expect(found("messages_fts", "hidden")).toEqual([1]);
  });

  it("a changed role moves a row out of the trigram index and into it", () => {
    project(db, [messageAppended("s1", 1, { content: "wandering" })]);
    db.exec("UPDATE messages SET role = 'tool' WHERE id = 1");
    expect([found("messages_fts", "wandering"), found("messages_fts_trigram", "wander")]).toEqual([[1], []]);
    checkIntegrity(...BOTH);
    db.exec("UPDATE messages SET role = 'user' WHERE id = 1");
    expect(found("messages_fts_trigram", "wander")).toEqual([1]);
    checkIntegrity(...BOTH);
  });

  it.each(["content", "tool_name", "tool_calls"])("a change of %s to and from NULL is followed", (column) => {
    project(db, [messageAppended("s1", 1, { content: undefined })]);
    db.exec(`UPDATE messages SET ${column} = 'appearing'`);
    expect([found("messages_fts", "appearing"), found("messages_fts_trigram", "appear")]).toEqual([[1], [1]]);
    db.exec(`UPDATE messages SET ${column} = NULL`);
    expect([found("messages_fts", "appearing"), found("messages_fts_trigram", "appear")]).toEqual([[], []]);
    checkIntegrity(...BOTH);
  });

  it("bytes as content are indexed and taken out again", () => {
    project(db, [messageAppended("s1", 1, { content: new TextEncoder().encode("bytewise") })]);
    expect(found("messages_fts", "bytewise")).toEqual([1]);
    db.exec("DELETE FROM messages");
    expect(found("messages_fts", "bytewise")).toEqual([]);
    checkIntegrity(...BOTH);
  });
});

describe("during a backfill", () => {
  beforeEach(() => {
    marker("fts_rebuild_high_water", "3");
    marker("fts_rebuild_progress", "1");
    project(
      db,
      [1, 2, 3, 4, 5].map((id) => messageAppended("s1", id, { content: `number${id} shared` })),
    );
  });

  it("ids between progress and high water are not indexed", () => {
    for (const index of BOTH) expect(indexedIds(index)).toEqual([1, 4, 5]);
  });

  it("deleting and editing rows that are not indexed leaves the index whole", () => {
    db.exec("DELETE FROM messages WHERE id = 2; UPDATE messages SET content = 'edited' WHERE id = 3");
    for (const index of BOTH) {
      expect(indexedIds(index)).toEqual([1, 4, 5]);
      expect(found(index, "shared")).toEqual([1, 4, 5]);
      expect(found(index, "edited")).toEqual([]);
      // Without a rank only the index itself is checked: the rows of the gap are missing on purpose.
      db.exec(`INSERT INTO ${index} (${index}) VALUES ('integrity-check')`);
    }
  });

  it("indexed rows on both sides are still followed", () => {
    db.exec("DELETE FROM messages WHERE id = 4; UPDATE messages SET content = 'edited' WHERE id = 1");
    for (const index of BOTH) {
      expect(indexedIds(index)).toEqual([1, 5]);
      expect([found(index, "edited"), found(index, "shared")]).toEqual([[1], [5]]);
    }
  });

  it("the index is whole again once the gap is filled and the markers are gone", () => {
    for (const index of BOTH) {
      db.exec(`INSERT INTO ${index} (rowid, content) SELECT id, content FROM messages WHERE id IN (2, 3)`);
    }
    db.exec("DELETE FROM state_meta");
    checkIntegrity(...BOTH);
    db.exec("DELETE FROM messages WHERE id = 2");
    checkIntegrity(...BOTH);
    for (const index of BOTH) expect(found(index, "shared")).toEqual([1, 3, 4, 5]);
  });

  it("a marker without a value counts as absent", () => {
    db.exec("UPDATE state_meta SET value = NULL");
    project(db, [messageAppended("s1", 6)]);
    for (const index of BOTH) expect(indexedIds(index)).toContain(6);
  });
});

describe("the index of a loadable tokenizer", () => {
  it("has its own gate", () => {
    const gate = { highWater: "fts_cjk_rebuild_high_water", progress: "fts_cjk_rebuild_progress" };
    for (const statement of indexStatements(conversationIndex("messages_fts_cjk", "unicode61", gate))) {
      db.exec(withNames(statement, liveNames));
    }
    marker("fts_cjk_rebuild_high_water", "1");
    project(db, [messageAppended("s1", 1), messageAppended("s1", 2), messageAppended("s1", 3, { role: "tool" })]);
    expect(indexedIds("messages_fts_cjk")).toEqual([2]);
    expect(indexedIds("messages_fts")).toEqual([1, 2, 3]);
  });
});

describe("tables built under other names", () => {
  it("have whole indexes when they are renamed into place", () => {
    const aside = (name: string): string => (name === "state_meta" ? name : `${name}__next`);
    const objects = [...messages.schema, ...indexStatements(messagesFts), ...indexStatements(messagesFtsTrigram)];
    for (const statement of objects) db.exec(withNames(statement, aside));
    project(db, [messageAppended("s1", 1, { content: "old text" })]);
    const insert =
      "INSERT INTO messages__next (id, session_id, role, content, timestamp) VALUES (7, 's1', 'user', ?, 1)";
    db.pragma("foreign_keys = OFF");
    db.pragma("legacy_alter_table = ON");
    db.prepare(insert).run("rebuilt text");
    for (const index of [messagesFts, messagesFtsTrigram]) {
      for (const name of Object.keys(index.triggers)) db.exec(`DROP TRIGGER ${name}; DROP TRIGGER ${name}__next`);
    }
    for (const name of ["messages", ...BOTH]) {
      db.exec(`ALTER TABLE ${name} RENAME TO ${name}__old; ALTER TABLE ${name}__next RENAME TO ${name}`);
    }
    for (const index of [messagesFts, messagesFtsTrigram]) {
      for (const statement of Object.values(index.triggers)) db.exec(withNames(statement, liveNames));
    }
    project(db, [messageAppended("s1", 8, { content: "text after" })]);
    for (const index of BOTH) expect(found(index, "text")).toEqual([7, 8]);
    checkIntegrity(...BOTH);
    expect(
      db.prepare("SELECT snippet(messages_fts, 0, '<', '>', '', 9) FROM messages_fts('rebuilt')").pluck().get(),
    ).toBe("<rebuilt> text");
  });
});
