import Database from "better-sqlite3";
import { existsSync, readFileSync, statSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { SessionDB } from "../../src/store/session-db.js";
import { documentOf, runCli, scratch, type CliResult, type CliWorld } from "../support/cli.js";

const dir = scratch();
afterAll(dir.remove);

const line = (id: string, title: string | null, texts: string[], start = 1_767_225_600): string =>
  `${JSON.stringify({
    id,
    source: id.startsWith("job") ? "cron" : "cli",
    model: "model-a",
    title,
    started_at: start,
    messages: texts.map((content, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content,
      timestamp: start + 1 + index,
    })),
  })}\n`;

const transcripts = dir.write(
  "three.jsonl",
  line("alpha-1", "Docker build fails", ["The docker build fails", "Which step fails?", "The last one"]) +
    line("alpha-2", null, ["今天怎么设置定时备份", "可以用定时任务"], 1_767_230_000) +
    line("job-1", "Nightly report", ["Write the report", "Done: all is well"], 1_767_240_000),
);

let store = "";
let count = 0;
/** Runs a command on the store of this test. */
const on = async (argv: string[], world: CliWorld = {}): Promise<CliResult> => runCli(["--db", store, ...argv], world);
const json = async <T = Record<string, unknown>>(argv: string[], world: CliWorld = {}): Promise<T> =>
  documentOf<T>(await on(["--json", ...argv], world));

beforeEach(async () => {
  store = dir.path(`store-${String(++count)}.db`);
  const { status } = await on(["import", transcripts]);
  expect(status).toBe(0);
});

describe("import", () => {
  it("says what came in, and adds nothing the second time", async () => {
    store = dir.path("fresh.db");
    const first = await on(["import", transcripts]);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toBe("Imported 3 sessions with 7 messages from 1 file.\n");
    const second = await on(["import", transcripts]);
    expect(second).toMatchObject({ status: 0 });
    expect(second.stdout).toContain("Imported 0 sessions");
    expect(second.stdout).toContain("3 sessions were there already");
  });

  it("reports a malformed line with file and line, and takes the others", async () => {
    store = dir.path("malformed.db");
    const file = dir.write(
      "bad.jsonl",
      `${line("ok-1", null, ["a"])}{"id": 7\n${line("ok-2", null, ["b"])}{"id":"x"}\n`,
    );
    const result = await on(["import", file]);
    expect(result.status).toBe(1);
    expect(result.stdout).toContain("Imported 2 sessions");
    expect(result.stdout).toContain(`${file}:2: `);
    expect(result.stdout).toContain(`${file}:4: `);
    const report = await json<{ problems: { line: number; session_id: string | null }[] }>(["import", file]);
    expect(report.problems.map((problem) => [problem.line, problem.session_id])).toEqual([
      [2, null],
      [4, "x"],
    ]);
  });

  it("refuses a missing file before anything is made", async () => {
    store = dir.path("not-made.db");
    const result = await on(["import", transcripts, dir.path("nowhere.jsonl")]);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(result.stderr).toMatch(/^error: There is no file '.*nowhere\.jsonl'; nothing was imported\.\n$/);
    expect(existsSync(store)).toBe(false);
  });

  it("--dry-run counts without making a store", async () => {
    store = dir.path("dry.db");
    const report = await json(["import", "--dry-run", transcripts]);
    expect(report).toMatchObject({ dry_run: true, sessions: 3, messages: 7 });
    expect(existsSync(store)).toBe(false);
  });

  it("--dry-run changes nothing in a store that is there", async () => {
    const file = dir.write("more.jsonl", line("more-1", null, ["x"]));
    expect(await json(["import", "--dry-run", file, transcripts])).toMatchObject({ sessions: 1, skipped: 3 });
    expect((await on(["sessions", "show", "more-1"])).status).toBe(1);
  });

  it("ends when it is interrupted, and says what stays", async () => {
    const result = await on(["import", transcripts], { interrupt: AbortSignal.abort() });
    expect(result.status).toBe(1);
    expect(result.stderr).toContain("error: Interrupted. Sessions that were imported stay");
  });

  it("shows its progress on a terminal only, on stderr", async () => {
    store = dir.path("progress.db");
    const result = await on(["import", transcripts], { terminal: true });
    expect(result.stderr).toContain("import [");
    expect(result.stdout).not.toContain("[=");
  });
});

describe("what cannot be opened", () => {
  it("a missing store is an error, and is not made", async () => {
    store = dir.path("missing.db");
    for (const argv of [
      ["sessions", "list"],
      ["search", "x"],
      ["log"],
      ["verify"],
      ["rebuild"],
      ["sessions", "pin", "x"],
    ]) {
      const result = await on(argv);
      expect(result, argv.join(" ")).toMatchObject({ status: 1, stdout: "" });
      expect(result.stderr).toMatch(/^error: There is no database at '.*missing\.db'; nothing was created\.\n$/);
    }
    expect(existsSync(store)).toBe(false);
  });

  it("a file that is no database is an error, and is left alone", async () => {
    store = dir.write("text.db", "this is no database, whatever its name says\n".repeat(50));
    const before = readFileSync(store);
    const result = await on(["sessions", "list"]);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(result.stderr).toContain("is no SQLite database; it was left as it is.");
    expect(result.stderr).not.toContain("    at ");
    expect(readFileSync(store).equals(before)).toBe(true);
  });

  it("a file without a log is refused before anything is printed", async () => {
    store = dir.path("foreign.db");
    const raw = new Database(store);
    raw.exec("CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (23)");
    raw.exec("CREATE TABLE sessions (id TEXT PRIMARY KEY)");
    raw.close();
    for (const argv of [["log"], ["log", "--follow"], ["verify"], ["rebuild"]]) {
      const result = await on(argv);
      expect(result, argv.join(" ")).toMatchObject({ status: 1, stdout: "" });
      expect(result.stderr, argv.join(" ")).toContain("has no event log");
    }
  });

  it("with --json the error is JSON on stderr", async () => {
    store = dir.path("missing.db");
    const result = await on(["--json", "verify"]);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(JSON.parse(result.stderr)).toEqual({
      error: {
        path: store,
        kind: "not_found",
        code: "FILE_NOT_FOUND",
        message: `There is no database at '${store}'; nothing was created.`,
      },
    });
  });

  it("HERMES_LEDGER_DEBUG=1 shows the stack", async () => {
    store = dir.path("missing.db");
    const result = await on(["verify"], { env: { HERMES_LEDGER_DEBUG: "1" } });
    expect(result.stderr).toContain("\n    at ");
  });
});

describe("wrong usage", () => {
  it.each([
    [["nonsense"], "unknown command 'nonsense'"],
    [["sessions", "nonsense"], "unknown command 'nonsense'"],
    [["sessions", "list", "--nonsense"], "unknown option '--nonsense'"],
    [["sessions", "list", "--limit", "many"], "It must be a whole number, 0 or more."],
    [["sessions", "rename", "alpha-1"], "Give either a title or --clear."],
    [["sessions", "rename", "alpha-1", "x", "--clear"], "Give either a title or --clear."],
    [["sessions", "export", "--format", "csv"], "Allowed choices are transcript, hermes"],
    [["sessions", "prune", "--older-than", "-1"], "It must be a number, 0 or more."],
    [["import"], "missing required argument 'file'"],
    [["log", "--type", "Nonsense"], "The types are: SessionCreated, "],
    [["log", "--from", "0"], "It must be a whole number, 1 or more."],
    [["log", "--follow", "--reverse"], "cannot be used with option"],
    [["log", "--follow", "--to", "3"], "--follow has no end"],
    [["verify", "--head", "12"], "It must be a position, a colon, and 64 hexadecimal digits"],
    [["rebuild", "--search", "--discard-unexplained"], "Give one of the two."],
    [["tour"], "leave --db out"],
  ])("%j is refused with status 2", async (argv, message) => {
    const result = await on(argv);
    expect(result).toMatchObject({ status: 2, stdout: "" });
    expect(result.stderr).toContain("error: ");
    expect(result.stderr).toContain(message);
    const asJson = await on(["--json", ...argv]);
    expect(asJson).toMatchObject({ status: 2, stdout: "" });
    const { error } = JSON.parse(asJson.stderr) as { error: { kind: string; message: string } };
    expect(error.kind).toBe("usage");
    expect(error.message).toContain(message);
  });

  it("help and version are no errors, and fit the width", async () => {
    const help = await runCli(["--help"]);
    expect(help.status).toBe(0);
    for (const name of ["import", "sessions", "search", "log", "verify", "rebuild", "tour"]) {
      expect(help.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    }
    expect(Math.max(...help.stdout.split("\n").map((text) => text.length))).toBeLessThanOrEqual(80);
    expect(await runCli(["--version"])).toMatchObject({ status: 0, stdout: "0.1.0\n" });
    expect((await runCli(["sessions", "prune", "--help"])).stdout).toContain("--db <path>");
  });
});

describe("naming a session", () => {
  it.each([
    ["alpha-1", "alpha-1"],
    ["job", "job-1"],
    ["Docker build fails", "alpha-1"],
    ["last", "job-1"],
  ])("%j is found", async (reference, id) => {
    expect(await json(["sessions", "show", reference])).toMatchObject({ session: { id } });
  });

  it("an ambiguous beginning lists the candidates and does nothing", async () => {
    const result = await on(["sessions", "delete", "alpha", "--yes"]);
    expect(result.status).toBe(1);
    expect(result.stderr).toBe(
      "error: 'alpha' is the beginning of 2 session ids; nothing was done. Give more of it:\n  alpha-1\n  alpha-2\n",
    );
    const { error } = JSON.parse((await on(["--json", "sessions", "show", "alpha"])).stderr) as { error: object };
    expect(error).toMatchObject({ code: "AMBIGUOUS_SESSION", reference: "alpha", candidates: ["alpha-1", "alpha-2"] });
  });

  it.each(["nope", "alpha%", "", "_lpha-1"])("%j is nobody: wildcards are literal", async (reference) => {
    const result = await on(["sessions", "show", reference]);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(result.stderr).toContain(`No session has the id or title '${reference}'`);
  });

  it("in an empty store there is no last session", async () => {
    store = dir.path("empty.db");
    SessionDB.open({ path: store }).close();
    expect((await on(["sessions", "show"])).stderr).toBe("error: There is no session yet.\n");
    expect(await on(["sessions", "list"])).toMatchObject({ status: 0, stdout: "No sessions.\n" });
  });
});

describe("sessions list", () => {
  it("shows titles or beginnings, the last active first", async () => {
    const { status, stdout } = await on(["sessions", "list"]);
    expect(status).toBe(0);
    const ids = stdout.split("\n").map((text) => text.split(" ")[0]);
    expect(ids.slice(0, 5)).toEqual(["ID", "───────", "job-1", "alpha-2", "alpha-1"]);
    expect(stdout).toContain("“今天怎么设置定时备份”");
    expect(stdout).toContain("Docker build fails");
    expect(stdout).toContain("\n3 sessions\n");
  });

  it("filters and pages", async () => {
    const ids = async (...argv: string[]): Promise<string[]> =>
      (await json<{ sessions: { id: string }[] }>(["sessions", "list", ...argv])).sessions.map(({ id }) => id);
    expect(await ids("--source", "cron")).toEqual(["job-1"]);
    expect(await ids("--find", "docker")).toEqual(["alpha-1"]);
    expect(await ids("--limit", "1", "--offset", "1")).toEqual(["alpha-2"]);
    expect(await json(["sessions", "list", "--limit", "1"])).toMatchObject({ total: 3 });
    expect((await on(["sessions", "list", "--limit", "1"])).stdout).toContain("1 of 3 sessions");
  });

  it("colours only on a terminal, and never with NO_COLOR", async () => {
    expect((await on(["sessions", "list"])).stdout).not.toContain("\x1b[");
    expect((await on(["sessions", "list"], { terminal: true })).stdout).toContain("\x1b[");
    expect((await on(["sessions", "list"], { terminal: true, env: { NO_COLOR: "1" } })).stdout).not.toContain("\x1b[");
    expect((await on(["sessions", "list"], { terminal: true, env: { TERM: "dumb" } })).stdout).not.toContain("\x1b[");
  });
});

describe("sessions show", () => {
  it("prints the facts and the transcript", async () => {
    const { stdout } = await on(["sessions", "show", "alpha-1"]);
    expect(stdout).toMatch(/^Docker build fails\nid +alpha-1\nsource +cli\n/);
    expect(stdout).toMatch(
      /\nuser {2}#\d+ .*\n {2}The docker build fails\n\nassistant {2}#\d+ .*\n {2}Which step fails\?\n/,
    );
    const limited = (await on(["sessions", "show", "alpha-1", "--limit", "1"])).stdout;
    expect(limited).toContain("(2 earlier messages not shown)");
    expect(limited).not.toContain("Which step fails?");
  });

  it("shows rewound messages on request, and says that they are", async () => {
    const db = SessionDB.open({ path: store });
    const [first] = db.getMessages("alpha-2");
    db.rewindToMessage("alpha-2", Number(first!.id));
    db.close();
    expect((await on(["sessions", "show", "alpha-2"])).stdout).not.toContain("定时备份");
    expect((await on(["sessions", "show", "alpha-2", "--inactive"])).stdout).toMatch(
      / {2}rewound\n {2}今天怎么设置定时备份/,
    );
  });

  it("shows calls of tools, shortens their results, and lets no text steer the terminal", async () => {
    const db = SessionDB.open({ path: store });
    const call = { id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } };
    db.appendMessage({ session_id: "alpha-1", role: "assistant", tool_calls: [call] });
    const content = Array.from({ length: 30 }, (_, index) => `line ${String(index)}`).join("\n") + "\x1b]0;pwned\x07";
    db.appendMessage({ session_id: "alpha-1", role: "tool", content, tool_name: "terminal", tool_call_id: "c1" });
    db.close();
    const { stdout } = await on(["sessions", "show", "alpha-1"]);
    expect(stdout).toContain('  → terminal {"command":"ls"}');
    expect(stdout).toMatch(/\ntool terminal {2}#/);
    expect(stdout).toContain("  … 22 more lines");
    const full = (await on(["sessions", "show", "alpha-1", "--full"])).stdout;
    expect(full).toContain("line 29␛]0;pwned␇");
    expect(full).not.toContain("\x1b");
  });

  it("ends quietly when the reader has gone", async () => {
    const result = await on(["sessions", "show", "alpha-1"], { readerLeavesAfter: 2 });
    expect(result).toMatchObject({ status: 0, stderr: "" });
    expect(result.stdout).not.toContain("The last one");
  });
});

describe("sessions rename, archive, pin, reopen, resume, lineage", () => {
  it("renames, cleans and clears", async () => {
    expect((await on(["sessions", "rename", "alpha-1", "  A better   title "])).stdout).toBe(
      "Session alpha-1 is now called “A better title”.\n",
    );
    expect(await json(["sessions", "rename", "A better title", "--clear"])).toEqual({
      session_id: "alpha-1",
      title: null,
    });
  });

  it("refuses a taken title with the session that has it", async () => {
    const result = await on(["sessions", "rename", "alpha-1", "Nightly report"]);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(result.stderr).toBe("error: Title 'Nightly report' is already in use by session job-1\n");
    const { error } = JSON.parse((await on(["--json", "sessions", "rename", "alpha-1", "Nightly report"])).stderr) as {
      error: object;
    };
    expect(error).toMatchObject({ kind: "validation", code: "TITLE_IN_USE", session: { id: "job-1" } });
  });

  it("archives several at once, or none when one is unknown", async () => {
    expect((await on(["sessions", "archive", "alpha-1", "nope"])).status).toBe(1);
    expect(await json(["sessions", "list"])).toMatchObject({ total: 3 });
    expect(await json(["sessions", "archive", "alpha-1", "alpha-2"])).toEqual({
      session_ids: ["alpha-1", "alpha-2"],
      archived: true,
    });
    expect(await json(["sessions", "list"])).toMatchObject({ total: 1 });
    expect(await json(["sessions", "list", "--archived"])).toMatchObject({ total: 2 });
    expect((await on(["sessions", "archive", "--undo", "alpha-1"])).stdout).toBe(
      "Session alpha-1 is no longer archived.\n",
    );
  });

  it("pins", async () => {
    expect((await on(["sessions", "pin", "job"])).stdout).toBe("Session job-1 is pinned.\n");
    expect((await on(["sessions", "show", "job"])).stdout).toMatch(/\nflags +pinned\n/);
    expect(await json(["sessions", "pin", "job", "--undo"])).toEqual({ session_ids: ["job-1"], pinned: false });
  });

  it("reopens an ended session and says when there was nothing to do", async () => {
    const db = SessionDB.open({ path: store });
    db.endSession("alpha-1", "user_exit");
    db.close();
    expect((await on(["sessions", "show", "alpha-1"])).stdout).toContain("(user_exit)");
    expect(await json(["sessions", "reopen", "alpha-1"])).toEqual({ session_id: "alpha-1", reopened: true });
    expect((await on(["sessions", "reopen", "alpha-1"])).stdout).toContain("had not ended; nothing was changed.");
  });

  it("resume and lineage follow a compressed conversation", async () => {
    const db = SessionDB.open({ path: store });
    db.publishCompressionChild("alpha-1", "alpha-1b", "cli", [{ role: "user", content: "Summary so far" }], {
      require_compression_lease: false,
    });
    db.close();
    const resume = await json<{ session_id: string; conversation: object[] }>(["sessions", "resume", "alpha-1"]);
    expect(resume.session_id).toBe("alpha-1b");
    expect(resume.conversation).toMatchObject([{ role: "user", content: "Summary so far" }]);
    expect((await on(["sessions", "resume", "alpha-1"])).stdout).toContain(
      "Resume alpha-1b, which continues alpha-1: 1 message",
    );
    const { stdout } = await on(["sessions", "lineage", "alpha-1b"]);
    expect(stdout).toMatch(/\n +alpha-1 .* compression\n\* +alpha-1b /);
    expect(stdout).toContain("2 sessions in this conversation");
  });
});

describe("sessions delete", () => {
  const remaining = async (): Promise<number> => {
    const { sessions } = await json<{ sessions: object[] }>(["sessions", "list", "--all"]);
    return sessions.length;
  };

  it("needs --yes where there is nobody to ask", async () => {
    const result = await on(["sessions", "delete", "alpha-1"]);
    expect(result.status).toBe(1);
    expect(result.stderr).toContain("error: Nothing was deleted: there is nobody to ask. Add --yes");
    expect(JSON.parse((await on(["--json", "sessions", "delete", "alpha-1"], { answer: "y" })).stderr)).toMatchObject({
      error: { code: "NOT_CONFIRMED" },
    });
    expect(await remaining()).toBe(3);
  });

  it.each([
    ["y", 0, 2],
    ["YES ", 0, 2],
    ["n", 1, 3],
    ["", 1, 3],
  ])("asks on a terminal; %j gives status %i and leaves %i", async (answer, status, left) => {
    const result = await on(["sessions", "delete", "alpha-1"], { answer });
    expect(result.asked).toEqual(["Delete 1 session for good? [y/N] "]);
    expect(result.status).toBe(status);
    expect(result.stdout).toContain("1 session, 3 messages");
    expect(await remaining()).toBe(left);
  });

  it("--dry-run says exactly what --yes deletes, delegates too", async () => {
    const db = SessionDB.open({ path: store });
    db.createSession({ session_id: "helper", source: "cli", model_config: { _delegate_from: "alpha-1" } });
    db.close();
    const dry = await json<{ sessions: object[] }>(["sessions", "delete", "alpha-1", "job-1", "--dry-run"]);
    expect(dry).toMatchObject({ dry_run: true, deleted: 0 });
    expect(dry.sessions).toMatchObject([
      { id: "alpha-1", delegate_of: null, message_count: 3 },
      { id: "helper", delegate_of: "alpha-1" },
      { id: "job-1", delegate_of: null },
    ]);
    expect((await on(["sessions", "delete", "alpha-1", "--dry-run"])).stdout).toContain(
      "Nothing was deleted (--dry-run).",
    );
    expect(await remaining()).toBe(4);
    const done = await json<{ sessions: object[] }>(["sessions", "delete", "alpha-1", "job-1", "--yes"]);
    expect(done).toEqual({ ...dry, dry_run: false, deleted: 3 });
    expect(await remaining()).toBe(1);
  });

  it("takes a delegate that is also named, in either order, and the same name twice", async () => {
    const db = SessionDB.open({ path: store });
    db.createSession({ session_id: "helper", source: "cli", model_config: { _delegate_from: "alpha-1" } });
    db.close();
    const result = await on(["sessions", "delete", "helper", "alpha-1", "helper", "--yes"]);
    expect(result).toMatchObject({ status: 0, stdout: "Deleted 2 sessions with 3 messages.\n" });
    expect(await remaining()).toBe(2);
  });

  it("deletes nothing when one of the names is unknown", async () => {
    expect((await on(["sessions", "delete", "alpha-1", "nope", "--yes"])).status).toBe(1);
    expect(await remaining()).toBe(3);
  });
});

describe("sessions prune", () => {
  const end = (...ids: string[]): void => {
    const db = SessionDB.open({ path: store, clock: () => 1_767_300_000 });
    for (const id of ids) db.endSession(id, "user_exit");
    db.close();
  };

  it("shows what would go, asks, and deletes just that", async () => {
    end("alpha-1", "job-1");
    const dry = await json(["sessions", "prune", "--older-than", "0", "--dry-run"]);
    expect(dry).toMatchObject({ dry_run: true, deleted: 0, sessions: [{ id: "alpha-1" }, { id: "job-1" }] });
    const declined = await on(["sessions", "prune", "--older-than", "0"], { answer: "no" });
    expect(declined).toMatchObject({ status: 1, asked: ["Delete 2 sessions for good? [y/N] "] });
    expect(declined.stdout).toContain("2 sessions, 5 messages");
    const done = await json(["sessions", "prune", "--older-than", "0", "--source", "cron", "--yes"]);
    expect(done).toMatchObject({ dry_run: false, deleted: 1, sessions: [{ id: "job-1" }] });
  });

  it("never touches live or recent sessions", async () => {
    const result = await on(["sessions", "prune", "--older-than", "0", "--yes"]);
    expect(result).toMatchObject({ status: 0, stdout: "No session meets these conditions; nothing to delete.\n" });
    end("alpha-1");
    expect(await json(["sessions", "prune", "--older-than", "36500", "--yes"])).toMatchObject({ deleted: 0 });
  });

  it("leaves archived ones alone, or takes only them", async () => {
    end("alpha-1", "job-1");
    await on(["sessions", "archive", "job-1"]);
    const ids = async (flag: string): Promise<unknown> =>
      (
        await json<{ sessions: { id: string }[] }>(["sessions", "prune", "--older-than", "0", "--dry-run", flag])
      ).sessions.map(({ id }) => id);
    expect(await ids("--archived")).toEqual(["job-1"]);
    expect(await ids("--no-archived")).toEqual(["alpha-1"]);
  });
});

describe("sessions export", () => {
  it("gives back what was imported", async () => {
    expect((await on(["sessions", "export"])).stdout).toBe(
      readFileSync(transcripts, "utf8").replaceAll(/("(?:started_at|timestamp)":\d+)/g, "$1.0"),
    );
    expect((await on(["sessions", "export", "job", "alpha-2"])).stdout.match(/"id":"[^"]+"/g)).toEqual([
      '"id":"job-1"',
      '"id":"alpha-2"',
    ]);
  });

  it("in the form of Hermes it has every column", async () => {
    const lines = (await on(["sessions", "export", "--format", "hermes"])).stdout.trimEnd().split("\n");
    const sessions = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(sessions.map(({ id }) => id)).toEqual(["job-1", "alpha-2", "alpha-1"]);
    expect(sessions[2]).toMatchObject({ message_count: 3, end_reason: null, archived: 0 });
    const db = SessionDB.open({ path: dir.path(`again-${String(count)}.db`) });
    expect(db.importSessions(sessions)).toMatchObject({ ok: true, imported: 3 });
    db.close();
  });

  it("--output replaces the file when all is written, and is private", async () => {
    const file = dir.write("out.jsonl", "old");
    const result = await on(["sessions", "export", "--output", file]);
    expect(result).toMatchObject({ status: 0, stdout: "", stderr: `Wrote 3 sessions to ${file}.\n` });
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(4);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("says where it cannot write, and leaves no half file", async () => {
    const file = dir.path("no/such/directory/out.jsonl");
    const result = await on(["sessions", "export", "--output", file]);
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^error: .*no such file or directory \(ENOENT\)\n$/);
  });

  it("stops when the reader has gone", async () => {
    const result = await on(["sessions", "export"], { readerLeavesAfter: 1 });
    expect(result).toMatchObject({ status: 0, stderr: "" });
    expect(result.stdout.split("\n")).toHaveLength(2);
  });
});

describe("search", () => {
  it("finds words and marks them", async () => {
    const { status, stdout } = await on(["search", "docker", "build"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Docker build fails\nalpha-1  user  cli  ");
    expect(stdout).toContain("  The «docker» «build» fails\n");
    expect(stdout).toContain("\n1 message\n");
  });

  it("finds Chinese of any length", async () => {
    expect((await on(["search", "定时备份"])).stdout).toContain("今天怎么设置«定时备份»");
    expect((await on(["search", "备份"])).stdout).toContain("今天怎么设置定时«备份»");
  });

  it("filters, and has its rows as JSON", async () => {
    const answer = await json<{ hits: object[] }>(["search", "fails", "--role", "assistant"]);
    expect(answer).toMatchObject({ query: "fails", total: 1 });
    expect(answer.hits).toMatchObject([{ session_id: "alpha-1", role: "assistant", source: "cli" }]);
    expect(await json(["search", "report", "--exclude-source", "cron"])).toMatchObject({ hits: [] });
  });

  it("says that nothing was found", async () => {
    expect(await on(["search", "zeppelin"])).toMatchObject({ status: 0, stdout: "Nothing found.\n" });
  });
});

describe("log", () => {
  it("shows the events in order, or backwards, or some", async () => {
    const { stdout } = await on(["log"]);
    expect(stdout.split("\n")[1]).toMatch(/^ {6}1 {2}SessionCreated {7}alpha-1 +cli model-a$/);
    expect(stdout).toContain("MessageAppended      alpha-2                   user: 今天怎么设置定时…");
    const positions = async (...argv: string[]): Promise<number[]> =>
      (await on(["--json", "log", ...argv])).stdout
        .split("\n")
        .filter((text) => text !== "")
        .map((text) => (JSON.parse(text) as { position: number }).position);
    expect(await positions("--from", "2", "--to", "4")).toEqual([2, 3, 4]);
    expect(await positions("--from", "2", "--to", "4", "--reverse")).toEqual([4, 3, 2]);
    expect(await positions("--reverse", "--limit", "1")).toEqual([12]);
    expect(await positions("--session", "job", "--type", "TitleSet")).toEqual([10]);
    expect(await positions("--type", "TitleSet", "--type", "SessionCreated")).toEqual([1, 2, 6, 9, 10]);
    expect(await positions("--from", "99")).toEqual([]);
    expect(await positions("--session", "$sessions")).toEqual([]);
  });

  it("as JSON it has the whole event", async () => {
    const [first] = (await on(["--json", "log", "--limit", "1"])).stdout.split("\n");
    expect(JSON.parse(first!)).toEqual({
      position: 1,
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      stream_id: "alpha-1",
      stream_version: 1,
      type: "SessionCreated",
      schema_version: 1,
      recorded_at: expect.any(Number) as number,
      origin: "import",
      metadata: null,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      erased: false,
      payload: {
        session_id: "alpha-1",
        created: true,
        cause: "create",
        fields: { source: "cli", model: "model-a", started_at: 1767225600 },
      },
    });
  });

  it("shows erased events as such", async () => {
    await on(["sessions", "delete", "alpha-1", "--yes"]);
    const { stdout } = await on(["log"]);
    expect(stdout).toMatch(/MessageAppended {6}alpha-1 +\(erased\)/);
    expect(stdout).toMatch(/SessionsDeleted {6}\$sessions +1 session/);
    expect(stdout).not.toContain("docker");
  });

  it("fits 80 columns, with time where there is room", async () => {
    const widest = (text: string): number => Math.max(...text.split("\n").map((part) => part.length));
    expect(widest((await on(["log"])).stdout)).toBeLessThanOrEqual(80);
    expect((await on(["log"], { env: { COLUMNS: "140" } })).stdout).toMatch(/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d/);
  });

  it("--follow shows the end of the past, then what comes, until the limit", async () => {
    const seen: string[] = [];
    let appended = false;
    const following = on(["--json", "log", "--follow", "--limit", "11"], {
      onStdout: (text) => {
        seen.push(text);
        if (appended || seen.length < 10) return;
        appended = true;
        // Another connection, as another process would have.
        setTimeout(() => {
          const db = SessionDB.open({ path: store });
          db.setSessionTitle("alpha-2", "Followed");
          db.close();
        }, 5);
      },
    });
    const result = await following;
    expect(result).toMatchObject({ status: 0, stderr: "" });
    const positions = seen.map((text) => (JSON.parse(text) as { position: number }).position);
    expect(positions).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(seen.at(-1)).toContain('"Followed"');
  });

  it("--follow ends with Ctrl-C, cleanly", async () => {
    const controller = new AbortController();
    const following = on(["log", "--follow", "--from", "now"], { interrupt: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect(await following).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("verify and rebuild", () => {
  it("prove a healthy store and print the head to pin", async () => {
    const { status, stdout } = await on(["verify", "--deep"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Everything holds. 12 events in one unbroken chain;");
    const pin = /--head (\d+:[0-9a-f]{64})/.exec(stdout)?.[1];
    expect((await on(["verify", "--head", pin!])).status).toBe(0);
    expect(await json(["verify"])).toMatchObject({ ok: true, pin, index_problems: null });
  });

  it("find another log behind a pinned head", async () => {
    const result = await on(["verify", "--head", `5:${"0".repeat(64)}`]);
    expect(result.status).toBe(1);
    expect(result.stdout).toContain("Something is wrong.");
    expect(result.stdout).toContain("The hash at position 5 is not the pinned one");
    expect((await on(["verify", "--head", `99:${"0".repeat(64)}`])).stdout).toContain("the pinned head is at 99");
  });

  it("find a row that was changed behind the log, and put it right only when told to", async () => {
    const raw = new Database(store);
    const triggers = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all() as string[];
    for (const name of triggers) raw.exec(`DROP TRIGGER ${name}`);
    raw.prepare("UPDATE messages SET content = 'forged' WHERE id = 1").run();
    raw.close();
    const found = await on(["verify"]);
    expect(found.status).toBe(1);
    expect(found.stdout).toMatch(/messages +7 +1 +changed 1, content: "forged", log: "The/);
    const refused = await on(["rebuild"]);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("1 rows differ from what the log says");
    const rebuilt = await on(["rebuild", "--discard-unexplained"]);
    expect(rebuilt.status).toBe(0);
    expect(rebuilt.stdout).toMatch(/\nmessages +7 +1\n/);
    expect(rebuilt.stdout).toContain("Replayed 12 events in ");
    expect((await on(["verify", "--deep"])).status).toBe(0);
  });

  it("--search makes the full-text indexes again", async () => {
    const raw = new Database(store);
    raw.unsafeMode();
    raw.exec("DELETE FROM messages_fts_data WHERE id > 10");
    raw.close();
    expect((await on(["verify", "--deep"])).status).toBe(1);
    expect(await json(["rebuild", "--search"])).toEqual({ indexes: expect.any(Number) as number });
    expect((await on(["verify", "--deep"])).status).toBe(0);
    expect((await on(["search", "docker"])).stdout).toContain("«docker»");
  });
});

describe("sessions stats", () => {
  it("counts sessions, messages and usage", async () => {
    const db = SessionDB.open({ path: store });
    for (const [session_id, model, input_tokens] of [
      ["alpha-1", "model-a", 1000],
      ["alpha-2", "model-b", 200],
    ] as const) {
      db.log.append({
        type: "UsageRecorded",
        payload: {
          session_id,
          model,
          billing_provider: "provider-x",
          counters: { input_tokens, output_tokens: 50, api_call_count: 1 },
          estimated_cost_usd: input_tokens / 1000,
        },
      });
    }
    db.close();
    const { status, stdout } = await on(["sessions", "stats"]);
    expect(status).toBe(0);
    expect(stdout).toContain("3 sessions, 7 messages");
    expect(stdout).toMatch(/\nmodel-a +.*1,000 .*\$1\.00/);
    expect(stdout).toMatch(/\nmodel-b +.*200 .*\$0\.20/);
    expect(await json(["sessions", "stats"])).toMatchObject({ sessions: 3, messages: 7, usage_by: "model" });
  });

  it("sums usage by task, source and day, of a source and of a time", async () => {
    const db = SessionDB.open({ path: store });
    for (const [session_id, task, at, input_tokens] of [
      ["alpha-1", "", 1_767_225_600, 1000], // 2026-01-01
      ["alpha-1", "title", 1_767_225_601, 30],
      ["alpha-2", "", 1_767_398_399, 200], // 2026-01-02, its last second
    ] as const) {
      db.log.append({
        type: "UsageRecorded",
        payload: {
          session_id,
          mode: task === "" ? "delta" : "auxiliary",
          model: "model-a",
          task,
          counters: { input_tokens, api_call_count: 1 },
          recorded_at: at,
        },
      });
    }
    const sources = [db.getSession("alpha-1")?.source, db.getSession("alpha-2")?.source];
    db.close();
    const inputs = async (...flags: string[]): Promise<unknown> => {
      const { usage_by, usage_groups } = await json<{ usage_by: string; usage_groups: Record<string, unknown>[] }>([
        "sessions",
        "stats",
        ...flags,
      ]);
      return Object.fromEntries(usage_groups.map((row) => [row[usage_by], row["input_tokens"]]));
    };
    expect(await inputs("--by", "task")).toEqual({ "": 1200, title: 30 });
    expect(await inputs("--by", "day")).toEqual({ "2026-01-01": 1030, "2026-01-02": 200 });
    expect(await inputs("--by", "day", "--since", "2026-01-02")).toEqual({ "2026-01-02": 200 });
    expect(await inputs("--by", "day", "--until", "2026-01-02T00:00:00Z")).toEqual({ "2026-01-01": 1030 });
    expect(sources).toEqual([expect.any(String), expect.any(String)]);
    const source = String(sources[0]);
    expect(await inputs("--by", "source", "--source", source)).toEqual({
      [source]: sources[1] === source ? 1230 : 1030,
    });
    expect((await on(["sessions", "stats", "--by", "task"])).stdout).toMatch(/\n\(main\) +.*1,200/);
  });

  it.each(["2026-02-30", "yesterday", "2026-01-12T09:15:00", "2026-13-01"])("refuses the time %s", async (time) => {
    const { status, stderr } = await on(["sessions", "stats", "--since", time]);
    expect(status).toBe(2);
    expect(stderr).toContain("It must be a day (2026-01-12) or a time with its zone");
  });
});
