import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runSearch } from "../../src/store/search/run-search.js";
import { searchMessages } from "../../src/store/search/search-messages.js";
import { SearchUnavailableError } from "../../src/store/search/search-unavailable-error.js";
import { searchStore } from "../support/search-store.js";

const INDEXES = { base: true, trigram: true, cjk: false };

let directory: string;
let db: Database;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "search-faults-"));
  db = searchStore(["docker compose", "concatenate", "看大别山项目"], join(directory, "state.db"));
});

afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

function failure(run: () => unknown): SearchUnavailableError {
  try {
    run();
  } catch (error) {
    if (error instanceof SearchUnavailableError) return error;
    throw error;
  }
  throw new Error("the search did not fail");
}

/** Overwrites every segment page of an index, so that reading a term meets garbage. */
function damage(index: string): void {
  db.unsafeMode(true);
  db.prepare(`UPDATE ${index}_data SET block = x'ffffffffffffffffffffffff' WHERE id > 10`).run();
  db.unsafeMode(false);
}

function lockedBy<T>(run: () => T): T {
  const other = new Sqlite(join(directory, "state.db"));
  other.exec("BEGIN EXCLUSIVE");
  try {
    return run();
  } finally {
    other.exec("ROLLBACK");
    other.close();
  }
}

describe("a database in use by someone else is no empty result", () => {
  test.each([["docker"], ["don't"], ["nowhere"], ["大别山"], ["大别"]])("query %s", (query) => {
    const error = failure(() => lockedBy(() => searchMessages(db, query, {}, INDEXES)));
    expect(error).toMatchObject({ kind: "locked", code: "SEARCH_UNAVAILABLE", sqliteCode: "SQLITE_BUSY" });
    expect(error.message).toBe(
      `The search (${error.route}) could not be carried out: database is locked (SQLITE_BUSY). ` +
        "Nothing was changed. Another program holds the database; search again when it is done.",
    );
    expect(error.cause).toBeInstanceOf(Sqlite.SqliteError);
  });

  test("nor when the search has yet to find out which indexes there are", () => {
    const fresh = new Sqlite(join(directory, "state.db"), { timeout: 0 });
    try {
      expect(failure(() => lockedBy(() => searchMessages(fresh, "docker")))).toMatchObject({ kind: "locked" });
      expect(searchMessages(fresh, "docker").map((row) => row.id)).toEqual([1]);
    } finally {
      fresh.close();
    }
  });

  test("and the same search answers as soon as the lock is gone", () => {
    failure(() => lockedBy(() => searchMessages(db, "docker", {}, INDEXES)));
    expect(searchMessages(db, "docker", {}, INDEXES).map((row) => row.id)).toEqual([1]);
  });
});

describe("a damaged index is no empty result", () => {
  test("words", () => {
    damage("messages_fts");
    const error = failure(() => searchMessages(db, "docker", {}, INDEXES));
    expect(error).toMatchObject({ kind: "corrupt", route: "fts5", sqliteCode: "SQLITE_CORRUPT_VTAB" });
  });

  test("parts of words", () => {
    damage("messages_fts_trigram");
    const error = failure(() => searchMessages(db, "cat", {}, INDEXES));
    expect(error).toMatchObject({ kind: "corrupt", route: "trigram" });
  });

  test("CJK goes to the scan, which says what was wrong", () => {
    damage("messages_fts_trigram");
    const outcome = runSearch(db, "大别山", {}, INDEXES);
    expect(outcome.hits.map((hit) => hit.id)).toEqual([3]);
    expect(outcome.route).toBe("like_scan");
    expect(outcome.failures.map(({ kind, route }) => [kind, route])).toEqual([["corrupt", "trigram"]]);
  });
});

describe("a missing table is no empty result", () => {
  test("the index", () => {
    db.exec("DROP TABLE messages_fts");
    expect(failure(() => searchMessages(db, "docker", {}, INDEXES))).toMatchObject({ kind: "engine", route: "fts5" });
  });

  test("a column that is not there is not taken for a query that FTS5 refuses", () => {
    db.exec("ALTER TABLE messages DROP COLUMN compacted");
    const error = failure(() => searchMessages(db, "docker", {}, INDEXES));
    expect(error.kind).toBe("engine");
    expect(error.message).toContain("no such column: m.compacted");
  });

  test("the trigram index, for CJK: the scan finds the message", () => {
    db.exec("DROP TABLE messages_fts_trigram");
    expect(searchMessages(db, "大别山", {}, INDEXES).map((row) => row.id)).toEqual([3]);
  });

  test("asked for its indexes, a database without any is searched message by message", () => {
    const found = (query: string): number[] => searchMessages(db, query).map((row) => row.id);
    const before = [found("docker").sort(), found("大别山").sort()];
    db.exec("DROP TABLE messages_fts");
    expect([found("docker").sort(), found("大别山").sort()]).toEqual(before);
  });
});

test("a defect of the caller passes through as it is", () => {
  db.close();
  expect(() => searchMessages(db, "docker", {}, INDEXES)).toThrow(TypeError);
});
