import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { LedgerError } from "../../src/events/ledger-error.js";
import type { Example, ExampleStep } from "../conformance/support/example-file.js";
import { type OpenStore, runExample } from "../conformance/support/example-runner.js";

/** A store that knows three operations, keeps sessions only, and verifies unless told otherwise. */
function openFake(report: { ok: boolean } = { ok: true }): OpenStore {
  return ({ path, clock }) => {
    const db = new Database(path);
    db.exec(`CREATE TABLE IF NOT EXISTS sessions(id TEXT PRIMARY KEY, source TEXT, started_at REAL, pinned INTEGER DEFAULT 0);
             CREATE TABLE IF NOT EXISTS ledger_events(id INTEGER PRIMARY KEY);
             CREATE TABLE IF NOT EXISTS state_meta(key TEXT PRIMARY KEY, value TEXT);
             INSERT OR IGNORE INTO state_meta VALUES ('fts_storage_version', '1');
             INSERT INTO ledger_events DEFAULT VALUES;`);
    return {
      createSession({ session_id, source }: { session_id: string; source: string }): string {
        if (session_id === "") throw new LedgerError("validation", "EMPTY", "no id");
        db.prepare("INSERT INTO sessions(id, source, started_at) VALUES (?, ?, ?)").run(session_id, source, clock());
        return session_id;
      },
      endSession(session_id: string, end_reason: unknown): void {
        if (end_reason === "crash") throw new TypeError(`boom ${session_id}`);
      },
      getSession: (id: string): unknown => db.prepare("SELECT * FROM sessions WHERE id = ?").get(id) ?? null,
      setMeta(key: string, value: unknown): void {
        db.prepare("INSERT INTO state_meta VALUES (?, ?)").run(key, value);
      },
      verify: () => report,
      close: () => db.close(),
    };
  };
}

const create = (session_id: string, answer: Partial<ExampleStep> = { returns: session_id }): ExampleStep => ({
  op: "create_session",
  args: { session_id, source: "cli" },
  ...answer,
});

const example = (steps: ExampleStep[], rows?: Example["rows"]): Example => ({
  id: "e",
  title: "t",
  covers: [],
  steps,
  ...(rows ? { rows } : {}),
});

describe("an example that holds", () => {
  test("results, refusals, the clock of each step and the final rows", async () => {
    const steps: ExampleStep[] = [
      create("b"),
      create("a"),
      create("", { raises: { kind: "validation", type: "ValueError", message: "no id" } }),
      { op: "end_session", args: { session_id: "a", end_reason: null }, returns: null },
      { op: "set_meta", args: { key: "k", value: "<ts-1000>" }, returns: null },
      { op: "get_session", args: { session_id: "a" }, pick: ["started_at"], returns: { started_at: "<ts:1>" } },
    ];
    const rows = {
      sessions: [
        { id: "b", source: "cli", started_at: "<ts:0>" },
        { id: "a", source: "cli", started_at: "<ts:1>" },
      ],
      state_meta: [{ key: "k", value: "<ts:3>" }],
    };
    await runExample(example(steps, rows), openFake());
  });

  test("an example's own clock", async () => {
    const steps = [create("a")];
    await runExample(
      { ...example(steps, { sessions: [{ id: "a", source: "cli", started_at: 5 }] }), clock: [5] },
      openFake(),
    );
  });

  test("planted rows, files and reopening; planted rows need not verify", async () => {
    const steps: ExampleStep[] = [
      { op: "sql", args: { sql: "INSERT INTO sessions(id, pinned) VALUES ('x', 1)" }, returns: null },
      { op: "reopen", args: {}, returns: null },
      { op: "get_session", args: { session_id: "x" }, pick: ["id", "pinned"], returns: { id: "x", pinned: 1 } },
      { op: "sql_query", args: { sql: "SELECT id FROM sessions" }, returns: [{ id: "x" }] },
      { op: "table_exists", args: { name: "sessions" }, returns: true },
      { op: "table_exists", args: { name: "messages" }, returns: false },
      { op: "make_files", args: { names: ["b.txt", "a.json"] }, returns: null },
      { op: "list_files", args: {}, returns: ["a.json", "b.txt"] },
    ];
    await runExample(example(steps, { sessions: [{ id: "x", pinned: 1 }] }), openFake({ ok: false }));
  });
});

describe("an example that does not hold", () => {
  const refused = (raises: ExampleStep["raises"]): Example => example([create("", { raises })]);

  test.each<[string, Example, string]>([
    ["another result", example([create("a", { returns: "b" })]), "step 0, create_session"],
    [
      "nothing where NULL is a result",
      example([{ op: "get_session", args: { session_id: "a" }, returns: { id: "a" } }]),
      "step 0, get_session",
    ],
    ["a result instead of a refusal", example([create("a", { raises: { kind: "state", type: "E" } })]), "step 0"],
    ["a refusal instead of a result", example([create("a"), create("")]), "step 1, create_session: validation: no id"],
    ["a refusal of another kind", refused({ kind: "state", type: "E" }), "step 0"],
    ["a refusal in other words", refused({ kind: "validation", type: "E", message: "No id" }), "step 0"],
    [
      "an error that is no refusal",
      example([
        { op: "end_session", args: { session_id: "s", end_reason: "crash" }, raises: { kind: "type", type: "E" } },
      ]),
      "boom s",
    ],
    ["a row too many", example([create("a")], {}), "final rows"],
    ["a missing row", example([], { sessions: [{ id: "a" }] }), "final rows"],
    [
      "another value",
      example([create("a")], { sessions: [{ id: "a", source: "tui", started_at: "<ts:0>" }] }),
      "final rows",
    ],
    [
      "a column that should have its default",
      example([create("a")], { sessions: [{ id: "a", source: "cli" }] }),
      "final rows",
    ],
  ])("%s", async (_, broken, message) => {
    await expect(runExample(broken, openFake())).rejects.toThrow(message);
  });

  test("a store that does not verify", async () => {
    await expect(runExample(example([create("a")]), openFake({ ok: false }))).rejects.toThrow("verify()");
  });
});
