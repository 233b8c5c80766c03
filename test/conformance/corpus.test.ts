import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportTranscripts, importTranscripts, SessionDB } from "../../src/index.js";
import { sharedPath } from "../support/shared.js";

const corpus = sharedPath("corpus");
const files =
  corpus === null
    ? []
    : readdirSync(corpus)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(corpus, name));

describe.skipIf(corpus === null)("real transcripts", () => {
  const directory = mkdtempSync(join(tmpdir(), "corpus-"));
  let db: SessionDB;

  beforeAll(async () => {
    db = SessionDB.open({ path: join(directory, "state.db"), durability: "normal" });
    const report = await importTranscripts(db, files);
    expect(report).toMatchObject({ sessions: 3778, messages: 47_166, system_prompts: 421, skipped: 0, problems: [] });
  }, 600_000);

  afterAll(() => {
    db.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("importing them again adds nothing", async () => {
    const { position } = db.log.head();
    expect(await importTranscripts(db, files)).toMatchObject({ sessions: 0, messages: 0, skipped: 3778 });
    expect(db.log.head().position).toBe(position);
  }, 600_000);

  test("come back byte for byte", () => {
    const lines = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== ""),
    );
    expect([...exportTranscripts(db)].sort()).toEqual(lines.sort());
  }, 600_000);

  test.each([
    ["English", "docker"],
    ["Chinese", "推荐"],
    ["Chinese, a longer word", "钓鱼台国宾馆"],
    ["Japanese", "おすすめ"],
    ["Japanese, two characters", "予約"],
    ["Korean", "추천"],
  ])(
    "a search in %s finds what a reader would",
    (_language, word) => {
      const holding = new Set<number | bigint>();
      for (const id of db.sessionIds()) {
        for (const { id: row, content } of db.getMessages(id)) {
          if (typeof content === "string" && content.toLowerCase().includes(word)) holding.add(row);
        }
      }
      const found: (number | bigint)[] = db.searchMessages(word, { limit: -1 }).map((hit) => hit.id);
      const missed = [...holding].filter((row) => !found.includes(row));
      expect(holding.size).toBeGreaterThan(0);
      // A word of letters stands alone in an index of words; inside a longer one it is another word.
      if (!/^[a-z]+$/.test(word)) expect(missed).toEqual([]);
      else expect(found.length).toBeGreaterThan(0);
    },
    120_000,
  );

  test("verify is clean, and a rebuild changes nothing", () => {
    expect(db.verify()).toMatchObject({ ok: true, differences: [] });
    const { tables } = db.rebuild();
    expect(tables.filter(({ changed }) => changed > 0)).toEqual([]);
    expect(tables.find(({ table }) => table === "messages")?.rows).toBe(47_166);
    expect(db.verify({ deep: true })).toMatchObject({ ok: true, differences: [] });
  }, 600_000);
});
