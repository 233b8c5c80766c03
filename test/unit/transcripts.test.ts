import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exportTranscripts, importTranscripts, SessionDB, type Transcript } from "../../src/index.js";

let directory: string;
let db: SessionDB;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "transcripts-"));
  db = SessionDB.open({ path: join(directory, "state.db"), durability: "normal" });
});

afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

const session = (id: string, more: Partial<Transcript> = {}): Transcript => ({
  id,
  source: "cli",
  model: "m",
  title: null,
  started_at: 1_767_225_600,
  messages: [
    { role: "system", content: "Be brief.", timestamp: 1_767_225_600.5 },
    { role: "user", content: "hello 世界", timestamp: 1_767_225_601 },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"n": 1.0}' } }],
      timestamp: 1_767_225_602.25,
      finish_reason: "tool_calls",
      token_count: 7,
    },
    { role: "tool", content: null, tool_call_id: "c1", tool_name: "look", timestamp: 1_767_225_603 },
  ],
  ...more,
});

function file(name: string, lines: readonly (string | object)[]): string {
  const path = join(directory, name);
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
}

test("a session comes back as it went in, times as reals, the system prompt in front", async () => {
  const report = await importTranscripts(db, [file("a.jsonl", [session("s1")])]);
  expect(report).toMatchObject({ sessions: 1, messages: 3, system_prompts: 1, problems: [] });
  expect(db.getSession("s1")).toMatchObject({ system_prompt: "Be brief.", message_count: 3, tool_call_count: 1 });
  const [line = ""] = exportTranscripts(db);
  expect(line).toContain('"started_at":1767225600.0');
  expect(JSON.parse(line)).toEqual(session("s1"));
});

test("what is there already is skipped, and what was deleted stays away unless asked for", async () => {
  const path = file("a.jsonl", [session("s1"), session("s2")]);
  await importTranscripts(db, [path]);
  db.deleteSession("s1");
  expect(await importTranscripts(db, [path])).toMatchObject({ sessions: 0, skipped: 1, deleted_before: ["s1"] });
  expect(db.getSession("s1")).toBeNull();
  expect(await importTranscripts(db, [path], { restoreDeleted: true })).toMatchObject({ sessions: 1, skipped: 1 });
});

test("bad lines are named with file and line, and spoil nothing else", async () => {
  const path = file("a.jsonl", [
    session("s1", { title: "plan" }),
    "no json",
    { ...session("s2"), source: 5 },
    session("s3", { title: "plan" }),
    session("s4", { title: "x".repeat(101) }),
    "",
    session("s5"),
  ]);
  const report = await importTranscripts(db, [path, join(directory, "missing.jsonl")]);
  expect(report).toMatchObject({ sessions: 2, files: 2 });
  const named = report.problems.map(({ line, session_id }) => `${line} ${session_id ?? "-"}`);
  expect(named.sort()).toEqual(["0 -", "2 -", "3 s2", "4 s3", "5 s4"]);
  expect(db.sessionIds()).toEqual(["s1", "s5"]);
  expect(db.verify().ok).toBe(true);
});

test("a dry run says what would come in, and changes nothing", async () => {
  const before = db.log.head();
  const report = await importTranscripts(db, [file("a.jsonl", [session("s1")])], { dryRun: true });
  expect(report).toMatchObject({ dry_run: true, sessions: 1, messages: 3 });
  expect(db.log.head()).toEqual(before);
});

test("aborting ends the import with the reason", async () => {
  const path = file("a.jsonl", [session("s1")]);
  await expect(importTranscripts(db, [path], { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
    "enough",
  );
  expect(db.sessionIds()).toEqual([]);
});
