import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SessionDB } from "../../src/index.js";
import { filesHolding } from "../support/ledger-file.js";

let directory: string;
let db: SessionDB;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "erasure-"));
  db = SessionDB.open({ path: join(directory, "state.db"), durability: "normal" });
});

afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Messages around the secret ones, so that pages are shared, split and overflow. */
function fill(session_id: string, count: number, word: string): void {
  db.createSession({ session_id, source: "cli", system_prompt: `prompt ${word}` });
  for (let i = 0; i < count; i++) {
    const padding = "filler text ".repeat(i % 7 === 0 ? 600 : i % 13);
    db.appendMessage({ session_id, role: "user", content: `${padding}${word} ${i}`, tool_calls: [{ id: word }] });
  }
}

describe.each([1, 40, 400])("%i messages", (count) => {
  beforeEach(() => {
    fill("keep", 60, "lanternfish");
    fill("gone", count, "quokkalantern");
    fill("keep too", 60, "lanternfish");
    expect(filesHolding(directory, "quokkalantern")).not.toEqual([]);
  });

  const nothingLeft = (): void => {
    expect(filesHolding(directory, "quokkalantern")).toEqual([]);
    expect(db.searchMessages("quokkalantern")).toEqual([]);
    expect(db.searchMessages("lanternfish", { limit: -1 })).toHaveLength(120);
    expect(db.verify({ deep: true })).toMatchObject({ ok: true, index_problems: [] });
  };

  test("of a deleted session are in no byte of the store, nor after a rebuild and a new opening", () => {
    expect(db.deleteSession("gone")).toBe(true);
    nothingLeft();
    db.rebuild();
    nothingLeft();
    db.close();
    db = SessionDB.open({ path: join(directory, "state.db") });
    nothingLeft();
  });

  test("of a cleared session neither; its system prompt stays", () => {
    db.updateSystemPrompt("gone", "plain");
    db.clearMessages("gone");
    expect(db.searchMessages("quokkalantern")).toEqual([]);
    expect(db.getMessages("gone")).toEqual([]);
    expect(db.verify({ deep: true }).ok).toBe(true);
  });

  test("of a pruned session neither", () => {
    db.endSession("gone", "user_exit");
    expect(db.pruneSessions({ older_than_days: -1 })).toBe(1);
    nothingLeft();
  });
});
