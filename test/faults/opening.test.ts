import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { afterEach, describe, expect, test, vi } from "vitest";
import { SessionDB } from "../../src/store/session-db.js";
import { fileState, ledgerFile, tamper, temporaryFolder } from "../support/ledger-file.js";
import { sharedPath } from "../support/shared.js";

const open = (path: string, options: { readOnly?: boolean; create?: boolean } = {}): SessionDB =>
  SessionDB.open({ path, lockPatience: 0, ...options });
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const failureOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
};
const header = Buffer.from("SQLite format 3\0");

afterEach(() => vi.unstubAllEnvs());

describe("what is no path of a file is refused", () => {
  test.each(["", ":memory:", "file:state.db"])("%j", (path) => {
    const listing = readdirSync(".");
    expect(failureOf(() => open(path))).toMatchObject({ kind: "validation", code: "NOT_A_FILE_PATH", path });
    expect(readdirSync(".")).toEqual(listing);
  });
});

describe("what is no database is refused and left as it was", () => {
  const files: [string, Buffer][] = [
    ["a text", Buffer.from("dear diary\n".repeat(1000))],
    ["a byte", Buffer.from("x")],
    ["a few bytes", Buffer.from("not a database")],
    ["noise", Buffer.from(Array.from({ length: 8192 }, (_, i) => (i * 7919 + 13) % 251))],
    ["the beginning of a header", header],
    ["a header and nothing", Buffer.concat([header, Buffer.alloc(84)])],
    [
      "a header and noise",
      Buffer.concat([header, Buffer.from(Array.from({ length: 4080 }, (_, i) => (i * 31) % 251))]),
    ],
  ];
  test.each(files.flatMap(([name, bytes]) => [true, false].map((readOnly) => [name, readOnly, bytes] as const)))(
    "%s, readOnly %s",
    (_, readOnly, bytes) => {
      const folder = temporaryFolder();
      const path = join(folder, "state.db");
      writeFileSync(path, bytes);
      const before = fileState(path);
      expect(failureOf(() => open(path, { readOnly }))).toMatchObject({
        kind: "not_a_database",
        code: "NOT_A_DATABASE",
        path,
      });
      expect(fileState(path)).toEqual(before);
      expect(readdirSync(folder)).toEqual(["state.db"]);
    },
  );

  test("a directory", () => {
    const folder = temporaryFolder();
    expect(() => open(folder)).toThrow(expect.objectContaining({ kind: "not_a_database" }));
    expect(readdirSync(folder)).toEqual([]);
  });

  test("an empty file is filled, unless it is only read", () => {
    const path = join(temporaryFolder(), "state.db");
    writeFileSync(path, "");
    expect(() => open(path, { readOnly: true })).toThrow(expect.objectContaining({ kind: "not_a_database" }));
    expect(statSync(path).size).toBe(0);
    open(path).close();
    using again = open(path);
    expect(again.verify().ok).toBe(true);
  });

  test("a database with nothing in it is filled", () => {
    const path = join(temporaryFolder(), "state.db");
    const empty = new Database(path);
    empty.pragma("journal_mode = WAL");
    empty.close();
    open(path).close();
    using again = open(path);
    expect(again.verify().ok).toBe(true);
  });
});

describe("what is not there is not made", () => {
  test.each<[string, string, { readOnly?: boolean; create?: boolean }, string]>([
    ["a file, when it may not be made", "state.db", { create: false }, "FILE_NOT_FOUND"],
    ["a file to read", "state.db", { readOnly: true }, "FILE_NOT_FOUND"],
    ["a directory", "no/state.db", {}, "DIRECTORY_NOT_FOUND"],
    ["a directory to read from", "no/state.db", { readOnly: true }, "DIRECTORY_NOT_FOUND"],
    ["a file whose name is too long", "x".repeat(300), {}, "FILE_ACCESS"],
    ["a file whose name no system takes", "a\0b", {}, "FILE_ACCESS"],
    ["a file in a file", "file/state.db", {}, "FILE_ACCESS"],
  ])("%s", (_, name, options, code) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "a file");
    expect(() => open(join(folder, name), options)).toThrow(expect.objectContaining({ code }));
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  test("the default directory, when nothing may be made or it cannot be", () => {
    const folder = temporaryFolder();
    vi.stubEnv("HERMES_HOME", join(folder, "home"));
    expect(() => SessionDB.open({ create: false })).toThrow(expect.objectContaining({ code: "DIRECTORY_NOT_FOUND" }));
    expect(() => SessionDB.open({ readOnly: true })).toThrow(expect.objectContaining({ code: "DIRECTORY_NOT_FOUND" }));
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(join(folder, "home"), "a file");
    expect(() => SessionDB.open()).toThrow(expect.objectContaining({ code: "FILE_ACCESS" }));
    expect(readdirSync(folder)).toEqual(["home"]);
  });
});

describe("a file of another version or another program", () => {
  test.each([24, 25])("schema %s is refused unchanged for writing, and can be read", (version) => {
    const { db, path, session } = ledgerFile();
    session("s");
    db.close();
    tamper(path, `UPDATE schema_version SET version = ${version}`);
    const before = fileState(path);
    expect(failureOf(() => open(path))).toMatchObject({
      kind: "newer_schema",
      code: "NEWER_SCHEMA",
      path,
      found: version,
      known: 23,
    });
    expect(fileState(path)).toEqual(before);
    using reader = open(path, { readOnly: true });
    expect(reader.getSession("s")).toMatchObject({ id: "s" });
    expect(fileState(path)).toEqual(before);
  });

  test("a newer log is refused unchanged for writing", () => {
    const { db, path } = ledgerFile();
    db.close();
    tamper(path, "UPDATE ledger_format SET version = 2");
    const before = fileState(path);
    expect(() => open(path)).toThrow("has log format version 2, this package knows 1; it was left unchanged");
    expect(fileState(path)).toEqual(before);
  });

  test("a file of another program is refused unchanged for writing, and can be read", () => {
    const { db, path, session } = ledgerFile();
    session("s");
    db.close();
    tamper(path, "DROP TABLE ledger_events; DROP TABLE ledger_projections; DROP TABLE ledger_format");
    const before = fileState(path);
    expect(failureOf(() => open(path))).toMatchObject({ kind: "state", code: "NOT_ADOPTED", schemaVersion: 23 });
    using reader = open(path, { readOnly: true });
    expect(reader.sessionIds()).toEqual(["s"]);
    expect(() => reader.log.head()).toThrow(expect.objectContaining({ code: "NOT_ADOPTED" }));
    expect(() => reader.log.read()).toThrow(expect.objectContaining({ code: "NOT_ADOPTED" }));
    expect(() => reader.verify()).toThrow(expect.objectContaining({ code: "NOT_ADOPTED" }));
    expect(() => reader.events$()).toThrow(expect.objectContaining({ code: "NOT_ADOPTED" }));
    expect(fileState(path)).toEqual(before);
  });

  test("any other database is refused unchanged", () => {
    const path = join(temporaryFolder(), "state.db");
    const other = new Database(path);
    other.exec("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')");
    other.close();
    const before = fileState(path);
    expect(failureOf(() => open(path))).toMatchObject({ code: "NOT_ADOPTED", schemaVersion: null });
    expect(fileState(path)).toEqual(before);
  });

  test("a ledger that some other program is in the middle of writing is opened", () => {
    const { db, path, session } = ledgerFile();
    session("s");
    db.close();
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    using again = open(path);
    expect(again.getSession("s")).not.toBeNull();
    other.exec("ROLLBACK");
    other.close();
  });
});

const fixtures = sharedPath("fixtures", "hermes");
const fixtureNames = fixtures === null ? [] : readdirSync(fixtures).filter((name) => name.endsWith(".db"));

describe.skipIf(fixtures === null)(
  "every file that Hermes ever wrote is refused unchanged for writing, and read",
  () => {
    test.each(fixtureNames)("%s", (name) => {
      const path = join(temporaryFolder(), "state.db");
      for (const suffix of ["", "-wal", "-journal"]) {
        const from = join(fixtures ?? "", name + suffix);
        if (!existsSync(from)) continue;
        copyFileSync(from, path + suffix);
        chmodSync(path + suffix, 0o600);
      }
      const before = fileState(path);
      expect(failureOf(() => open(path))).toMatchObject({
        code: /^v2[45]/.test(name) ? "NEWER_SCHEMA" : "NOT_ADOPTED",
      });
      expect(fileState(path)).toEqual(before);
      using reader = open(path, { readOnly: true });
      expect(reader.sessionIds().length).toBeGreaterThanOrEqual(name === "v23_empty.db" ? 0 : 1);
      expect(fileState(path)).toEqual(before);
    });
  },
);

describe("permissions", () => {
  test("files are for their owner alone from the first byte on, and so are the side files", () => {
    const umask = process.umask(0);
    try {
      const { db, path, folder, session } = ledgerFile();
      session("s");
      expect(readdirSync(folder).sort()).toEqual(["state.db", "state.db-shm", "state.db-wal"]);
      expect(["", "-shm", "-wal"].map((suffix) => mode(path + suffix))).toEqual(["600", "600", "600"]);
      db.close();
      expect(readdirSync(folder)).toEqual(["state.db"]);
    } finally {
      process.umask(umask);
    }
  });

  test("the default directory is made for its owner alone, whatever the umask", () => {
    const umask = process.umask(0);
    try {
      const home = join(temporaryFolder(), "of", "hermes");
      vi.stubEnv("HERMES_HOME", home);
      using db = SessionDB.open();
      expect(db.path).toBe(join(home, "state.db"));
      expect([mode(join(home, "..")), mode(home), mode(db.path)]).toEqual(["700", "700", "600"]);
    } finally {
      process.umask(umask);
    }
  });

  test("modes that somebody chose are kept", () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const path = join(folder, "state.db");
    open(path).close();
    chmodSync(path, 0o640);
    using db = open(path);
    expect([mode(folder), mode(db.path), mode(`${path}-wal`)]).toEqual(["755", "640", "640"]);
  });

  test("a link is followed", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real", "state.db"), join(folder, "link.db"));
    open(join(folder, "link.db")).close();
    expect(readdirSync(join(folder, "real"))).toEqual(["state.db"]);
  });
});

/** Tests of permissions mean nothing to root, so a process of nobody's opens the files. */
const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const uid = isRoot ? nobody : (process.getuid?.() ?? -1);

/** Runs `expression` over `SessionDB` and `path` in a process without privileges; its value, or the error's kind and code. */
function asNobody(path: string, expression: string): unknown {
  const program = `
    import { SessionDB } from ${JSON.stringify(pathToFileURL(resolve("src/store/session-db.ts")).href)};
    const path = process.argv[1];
    if (process.getuid() === 0) { process.setgid(${nobody}); process.setuid(${nobody}); }
    let result;
    try { result = { value: ${expression} }; } catch (error) {
      result = { name: error.name, kind: error.kind, code: error.code, path: error.path };
    }
    process.stdout.write(JSON.stringify(result));`;
  const run = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program, "--", path], {
    encoding: "utf8",
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as unknown;
}

describe.skipIf(uid === -1)("without permission", () => {
  const OPEN = "SessionDB.open({ path, lockPatience: 0 }).path";
  const READ = "SessionDB.open({ path, readOnly: true }).sessionIds()";

  const prepared = (): { folder: string; path: string } => {
    const { db, folder, path, session } = ledgerFile();
    session("s");
    db.close();
    for (const place of [folder, path]) chownSync(place, uid, isRoot ? nobody : (process.getgid?.() ?? 0));
    return { folder, path };
  };

  test("to write the file", () => {
    const { folder, path } = prepared();
    chmodSync(path, 0o400);
    const before = fileState(path);
    expect(asNobody(path, OPEN)).toMatchObject({ name: "ReadOnlyFileError", kind: "read_only", path });
    expect(fileState(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(["state.db"]);
    expect(asNobody(path, READ)).toEqual({ value: ["s"] });
    expect(fileState(path)).toEqual(before);
  });

  test("to write the directory", () => {
    const { folder, path } = prepared();
    chmodSync(folder, 0o500);
    const before = fileState(path);
    expect(asNobody(path, OPEN)).toMatchObject({ name: "ReadOnlyFileError", kind: "read_only", path: folder });
    expect(asNobody(join(folder, "new.db"), OPEN)).toMatchObject({ kind: "read_only", path: folder });
    expect(fileState(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(["state.db"]);
    chmodSync(folder, 0o700);
  });

  test("to read the file", () => {
    const { path } = prepared();
    chmodSync(path, 0o000);
    expect(asNobody(path, OPEN)).toMatchObject({ kind: "read_only", path });
    expect(asNobody(path, READ)).toMatchObject({ kind: "engine", code: "CANNOT_OPEN" });
  });

  test("to make the default directory", () => {
    const { folder, path } = prepared();
    chmodSync(folder, 0o500);
    const home = JSON.stringify(join(folder, "home"));
    const result = asNobody(path, `(process.env.HERMES_HOME = ${home}, SessionDB.open().path)`);
    expect(result).toMatchObject({ kind: "read_only", code: "READ_ONLY" });
    chmodSync(folder, 0o700);
    expect(readdirSync(folder)).toEqual(["state.db"]);
  });
});
