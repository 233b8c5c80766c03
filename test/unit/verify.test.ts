import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { ledgerFile, rowsOf, tableContents, tamper, type LedgerFile } from "../support/ledger-file.js";

/** A store with something in every table that an event can fill. */
function filled(): LedgerFile {
  const file = ledgerFile();
  const { db, session, say } = file;
  session("s", "t", "gone");
  for (let i = 1; i <= 4; i++) say("s", `message ${i}`);
  say("t", "other");
  say("gone", "will be erased");
  db.log.append([
    { type: "TitleSet", payload: { session_id: "s", title: "A title" } },
    { type: "MetaSet", payload: { key: "k", value: "v" } },
    { type: "UsageRecorded", payload: { session_id: "s", counters: { input_tokens: 5 }, model: "m" } },
    {
      type: "GatewayRoutesChanged",
      payload: { scope: "x", replace_all: false, removed: [], entries: [["route", "{}"]], updated_at: 5 },
    },
    { type: "CompressionLockChanged", payload: { session_id: "s", holder: "h", acquired_at: 1, expires_at: 2 } },
    {
      type: "DelegationDispatched",
      payload: {
        fields: {
          delegation_id: "d",
          origin_session: "o",
          origin_ui_session_id: "",
          origin_session_id: "s",
          parent_session_id: null,
          dispatched_at: 1,
          updated_at: 1,
          owner_pid: 1,
          owner_started_at: 1,
          task_json: "{}",
        },
      },
    },
    {
      type: "TelegramTopicBound",
      payload: {
        chat_id: "c",
        thread_id: "1",
        user_id: "u",
        session_key: "k",
        session_id: "s",
        managed_mode: "auto",
        linked_at: 1,
        updated_at: 1,
      },
    },
  ]);
  return file;
}

const scratchFolders = (): string[] => readdirSync(tmpdir()).filter((name) => /^hermes-ledger-\w{6}$/.test(name));

describe("what is as it should be", () => {
  test("an empty store", () => {
    const { db } = ledgerFile();
    expect(db.verify({ deep: true })).toMatchObject({
      ok: true,
      chain: { ok: true, events: 0, head: { position: 0, hash: "0".repeat(64) } },
      differences: [],
      index_problems: [],
    });
  });

  test("a store with something in every table", () => {
    const { db } = filled();
    const report = db.verify({ deep: true, head: db.log.head() });
    expect(report).toMatchObject({
      ok: true,
      replay_error: null,
      foreign_key_violations: 0,
      differences: [],
      index_problems: [],
    });
    const rows = Object.fromEntries(report.tables.map(({ table, rows }) => [table, rows]));
    expect(rows).toMatchObject({ sessions: 3, messages: 6, session_model_usage: 1, telegram_dm_topic_bindings: 1 });
    expect(rows).toMatchObject({ gateway_routing: 1, compression_locks: 1, async_delegations: 1, state_meta: 1 });
  });

  test("verifying leaves nothing behind and changes nothing", () => {
    const { db, path } = filled();
    const before = tableContents(path);
    const folders = scratchFolders().length;
    db.verify({ deep: true });
    expect(tableContents(path)).toEqual(before);
    expect(scratchFolders().length).toBeLessThanOrEqual(folders);
  });

  test("a store that is only read can be verified", () => {
    const { db, another } = filled();
    db.close();
    expect(another({ readOnly: true }).verify().ok).toBe(true);
  });

  test("markers of index maintenance need no event", () => {
    const { db, path } = filled();
    tamper(path, "INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '0')");
    expect(db.verify().ok).toBe(true);
    tamper(path, "INSERT INTO state_meta VALUES ('ftsX', '0')");
    expect(db.verify()).toMatchObject({ ok: false, differences: [{ kind: "extra", key: { key: "ftsX" } }] });
  });
});

describe("a log that was changed", () => {
  test.each<[string, string, { position: number; problem: string }]>([
    [
      "a payload",
      "UPDATE ledger_events SET payload = replace(payload, 'message 2', 'message X') WHERE position = 5",
      { position: 5, problem: "payload changed" },
    ],
    [
      "a payload that is no JSON any more",
      "UPDATE ledger_events SET payload = '{' WHERE position = 5",
      { position: 5, problem: "payload changed" },
    ],
    [
      "a type nobody knows",
      "UPDATE ledger_events SET type = 'Nothing' WHERE position = 5",
      { position: 5, problem: "event changed" },
    ],
    [
      "a newer payload version",
      "UPDATE ledger_events SET schema_version = 9 WHERE position = 5",
      { position: 5, problem: "event changed" },
    ],
    [
      "metadata that is no JSON",
      "UPDATE ledger_events SET metadata = '{' WHERE position = 5",
      { position: 5, problem: "event changed" },
    ],
    [
      "an event taken out of the middle",
      "DELETE FROM ledger_events WHERE position = 5",
      { position: 6, problem: "position gap" },
    ],
    [
      "an event taken out, and the rest moved up",
      `DELETE FROM ledger_events WHERE position = 5;
       UPDATE ledger_events SET position = -position WHERE position > 5;
       UPDATE ledger_events SET position = -position - 1 WHERE position < 0`,
      { position: 5, problem: "stream version gap" },
    ],
    [
      "the first event taken out",
      "DELETE FROM ledger_events WHERE position = 1",
      { position: 2, problem: "position gap" },
    ],
    [
      "an event put in",
      `UPDATE ledger_events SET position = -position WHERE position > 5;
       UPDATE ledger_events SET position = -position + 1 WHERE position < 0;
       INSERT INTO ledger_events SELECT 6, 'forged', stream_id, 99, type, schema_version, recorded_at, origin, payload,
         salt, payload_hash, hash, metadata FROM ledger_events WHERE position = 5`,
      { position: 6, problem: "stream version gap" },
    ],
    [
      "an event put in at the end",
      `INSERT INTO ledger_events SELECT 17, 'forged', stream_id, 99, type, schema_version, recorded_at, origin, payload,
         salt, payload_hash, hash, metadata FROM ledger_events WHERE position = 5`,
      { position: 17, problem: "stream version gap" },
    ],
    [
      "two events that changed places",
      `UPDATE ledger_events SET position = 1000 WHERE position = 4;
       UPDATE ledger_events SET position = 4 WHERE position = 5;
       UPDATE ledger_events SET position = 5 WHERE position = 1000`,
      { position: 4, problem: "stream version gap" },
    ],
    [
      "two payloads that changed places, with all that proves them",
      `CREATE TEMP TABLE swap AS SELECT position, payload, salt, payload_hash FROM ledger_events WHERE position IN (4, 5);
       UPDATE ledger_events SET (payload, salt, payload_hash) =
         (SELECT s.payload, s.salt, s.payload_hash FROM swap s WHERE s.position = 9 - ledger_events.position)
         WHERE position IN (4, 5)`,
      { position: 4, problem: "event changed" },
    ],
    ["the end cut off", "DELETE FROM ledger_events WHERE position > 10", { position: 11, problem: "truncated" }],
    ["all of it", "DELETE FROM ledger_events", { position: 1, problem: "truncated" }],
  ])("%s", (_, sql, problem) => {
    const { db, path } = filled();
    expect(db.log.head().position).toBe(16);
    tamper(path, sql);
    const report = db.verify();
    expect(report).toMatchObject({ ok: false, chain: { ok: false } });
    expect(report.chain.problem).toMatchObject(problem);
    expect(report.chain.problem?.message).not.toBe("");
  });

  test("only a pinned head tells that the end was cut off with everything that would show it", () => {
    const { db, path } = ledgerFile();
    db.log.append([1, 2, 3].map((i) => ({ type: "MetaSet" as const, payload: { key: `k${i}`, value: "v" } })));
    const pinned = db.log.head();
    tamper(
      path,
      `DELETE FROM ledger_events WHERE position = 3;
       DELETE FROM state_meta WHERE key = 'k3';
       UPDATE sqlite_sequence SET seq = 2 WHERE name = 'ledger_events'`,
    );
    expect(db.verify().ok).toBe(true);
    expect(db.verify({ head: pinned }).chain.problem).toMatchObject({ position: 3, problem: "truncated" });
    // A forged end in its place is another end.
    db.log.append({ type: "MetaSet", payload: { key: "k3", value: "forged" } });
    expect(db.verify().ok).toBe(true);
    expect(db.verify({ head: pinned }).chain.problem).toMatchObject({ position: 3, problem: "pinned head differs" });
  });

  test("a payload taken away as if it had been erased leaves rows that nothing explains", () => {
    const { db, path } = filled();
    tamper(path, "UPDATE ledger_events SET payload = NULL, salt = NULL WHERE position = 5");
    const report = db.verify();
    expect(report).toMatchObject({ ok: false, chain: { ok: true, erased: 1 } });
    expect(report.differences).toContainEqual(expect.objectContaining({ table: "messages", kind: "extra" }));
  });

  test("the rest of the chain is walked where the replay cannot go on", () => {
    const { db, path } = filled();
    tamper(path, "UPDATE ledger_events SET payload = '{}' WHERE position = 5");
    const report = db.verify();
    expect(report.replay_error).toMatch(/MessageAppended/);
    expect(report.chain).toMatchObject({ events: 16, head: { position: 16 } });
    expect(report.tables).toEqual([]);
  });
});

describe("tables that were changed", () => {
  test.each<[string, string, object]>([
    [
      "a text",
      "UPDATE messages SET content = 'forged' WHERE id = 2",
      {
        table: "messages",
        kind: "changed",
        key: { id: 2 },
        column: "content",
        expected: "message 2",
        found: "forged",
      },
    ],
    [
      "bytes in the place of the same text",
      "UPDATE messages SET content = CAST(content AS BLOB) WHERE id = 2",
      {
        table: "messages",
        kind: "changed",
        column: "content",
      },
    ],
    [
      "text in the place of a number",
      "UPDATE messages SET active = 'yes' WHERE id = 2",
      {
        table: "messages",
        kind: "changed",
        column: "active",
        expected: 1,
        found: "yes",
      },
    ],
    [
      "a real in the place of an integer",
      "UPDATE sessions SET input_tokens = 5.5 WHERE id = 's'",
      {
        table: "sessions",
        kind: "changed",
        column: "input_tokens",
      },
    ],
    [
      "NULL in the place of a value",
      "UPDATE sessions SET title = NULL WHERE id = 's'",
      {
        table: "sessions",
        kind: "changed",
        column: "title",
        expected: "A title",
        found: null,
      },
    ],
    [
      "the last digit of a time",
      "UPDATE messages SET timestamp = timestamp + 0.0000002 WHERE id = 2",
      {
        table: "messages",
        kind: "changed",
        column: "timestamp",
      },
    ],
    ["a row taken away", "DELETE FROM messages WHERE id = 2", { table: "messages", kind: "missing", key: { id: 2 } }],
    [
      "a row put in",
      "INSERT INTO messages (id, session_id, role, timestamp) VALUES (99, 's', 'user', 1)",
      { table: "messages", kind: "extra", key: { id: 99 } },
    ],
    [
      "a session put in",
      "INSERT INTO sessions (id, source, started_at) VALUES ('x', 'cli', 1)",
      {
        table: "sessions",
        kind: "extra",
        key: { id: "x" },
      },
    ],
    [
      "a session without an id",
      "INSERT INTO sessions (id, source, started_at) VALUES (NULL, 'cli', 1)",
      {
        table: "sessions",
        kind: "extra",
        key: { id: null },
      },
    ],
    ["another version", "UPDATE schema_version SET version = 22", { table: "schema_version" }],
    ["a second version", "INSERT INTO schema_version VALUES (23)", { table: "schema_version", kind: "extra" }],
    ["no version", "DELETE FROM schema_version", { table: "schema_version", kind: "missing" }],
    ["a setting", "UPDATE state_meta SET value = 'w' WHERE key = 'k'", { table: "state_meta", kind: "changed" }],
    ["usage", "UPDATE session_model_usage SET input_tokens = 6", { table: "session_model_usage", kind: "changed" }],
    ["a route", "DELETE FROM gateway_routing", { table: "gateway_routing", kind: "missing" }],
    ["a lock", "UPDATE compression_locks SET holder = 'i'", { table: "compression_locks", column: "holder" }],
    ["a delegation", "UPDATE async_delegations SET state = 'done'", { table: "async_delegations", column: "state" }],
    ["a topic", "DELETE FROM telegram_dm_topic_bindings", { table: "telegram_dm_topic_bindings", kind: "missing" }],
    [
      "a table on demand",
      "DROP TABLE telegram_dm_topic_bindings",
      {
        table: "telegram_dm_topic_bindings",
        kind: "columns",
      },
    ],
    ["a column", "ALTER TABLE messages ADD COLUMN extra TEXT", { table: "messages", kind: "columns", column: "extra" }],
    [
      "the next message id",
      "UPDATE sqlite_sequence SET seq = 90 WHERE name = 'messages'",
      {
        table: "messages",
        kind: "sequence",
        expected: 6,
        found: 90,
      },
    ],
    [
      "a message id that could come again",
      "UPDATE sqlite_sequence SET seq = 3 WHERE name = 'messages'",
      {
        table: "messages",
        kind: "sequence",
        expected: 6,
        found: 3,
      },
    ],
  ])("%s", (_, sql, difference) => {
    const { db, path } = filled();
    tamper(path, sql);
    const report = db.verify();
    expect(report).toMatchObject({ ok: false, chain: { ok: true }, replay_error: null });
    expect(report.differences).toContainEqual(expect.objectContaining(difference));
  });

  test("many differences are counted, the first ones shown", () => {
    const { db, path, session, say } = ledgerFile();
    session("s");
    db.transaction(() => {
      for (let i = 0; i < 50; i++) say("s", `message ${i}`);
    });
    tamper(path, "UPDATE messages SET content = 'x'");
    const report = db.verify();
    expect(report.tables.find(({ table }) => table === "messages")).toMatchObject({ rows: 50, differing: 50 });
    expect(report.differences).toHaveLength(20);
  });

  test("references to what is not there are counted", () => {
    const { db, path } = filled();
    tamper(path, "UPDATE messages SET session_id = 'nobody' WHERE id <= 3");
    expect(db.verify()).toMatchObject({ ok: false, foreign_key_violations: 3 });
  });

  test("a damaged index is found by looking deeper", () => {
    const { db, path } = filled();
    tamper(path, "DELETE FROM messages_fts_data WHERE id > 10");
    expect(db.verify().index_problems).toBeNull();
    expect(db.verify({ deep: true })).toMatchObject({ ok: false, index_problems: [expect.stringMatching(/fts/i)] });
    tamper(path, "UPDATE messages_fts_config SET v = 99 WHERE k = 'version'");
    expect(db.verify({ deep: true })).toMatchObject({ ok: false, index_problems: [expect.stringMatching(/fts5/)] });
  });
});

describe("a run that is stopped", () => {
  test("ends with the reason, and leaves nothing behind", () => {
    const { db } = filled();
    const reason = new Error("enough");
    const folders = scratchFolders().length;
    expect(() => db.verify({ signal: AbortSignal.abort(reason) })).toThrow(reason);
    expect(scratchFolders().length).toBeLessThanOrEqual(folders);
  });

  test("progress is told", () => {
    const { db } = filled();
    const seen: unknown[] = [];
    db.verify({ onProgress: (progress) => void seen.push(progress) });
    expect(seen).toEqual([
      { phase: "replay", done: 16, total: 16 },
      { phase: "compare", done: 0, total: 9 },
    ]);
  });
});

describe("rebuilding", () => {
  test("gives the same rows, indexes and triggers", () => {
    const { db, path } = filled();
    const schema =
      "SELECT type, name, tbl_name, replace(sql, '\"', '') FROM sqlite_schema WHERE name NOT LIKE 'messages_fts%' ORDER BY 1, 2";
    const before = { tables: tableContents(path), schema: rowsOf(path, schema) };
    const report = db.rebuild();
    expect({ tables: tableContents(path), schema: rowsOf(path, schema) }).toEqual(before);
    expect(report.events).toBe(16);
    expect(report.tables.every(({ changed }) => changed === 0)).toBe(true);
    expect(db.verify({ deep: true }).ok).toBe(true);
    expect(rowsOf(path, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'message'")).toHaveLength(4);
    db.rebuild();
    expect(tableContents(path)).toEqual(before.tables);
  });

  test.each([
    ["a changed row", "UPDATE messages SET content = 'forged' WHERE id = 2"],
    ["a row put in", "INSERT INTO messages (id, session_id, role, timestamp) VALUES (99, 's', 'user', 1)"],
    ["a row taken away", "DELETE FROM messages WHERE id = 2"],
    ["a table on demand dropped", "DROP TABLE telegram_dm_topic_bindings"],
    ["another column", "ALTER TABLE state_meta ADD COLUMN extra TEXT"],
    ["another next id", "UPDATE sqlite_sequence SET seq = 90 WHERE name = 'messages'"],
  ])("%s is refused, and nothing is changed, unless it may go", (_, sql) => {
    const { db, path } = filled();
    const good = tableContents(path);
    tamper(path, sql);
    const before = tableContents(path);
    expect(() => db.rebuild()).toThrow(expect.objectContaining({ kind: "state", code: "UNEXPLAINED_ROWS" }));
    expect(tableContents(path)).toEqual(before);
    expect(db.verify().ok).toBe(false);
    db.rebuild({ discardUnexplained: true });
    expect(tableContents(path)).toEqual(good);
    expect(db.verify({ deep: true }).ok).toBe(true);
  });

  test("another definition of a table is what a rebuild is for", () => {
    const { db, path } = filled();
    const good = tableContents(path);
    tamper(
      path,
      `UPDATE messages SET content = 'as an old version had it' WHERE id = 2;
       UPDATE ledger_projections SET fingerprint = 'old' WHERE name = 'messages'`,
    );
    db.rebuild();
    expect(tableContents(path)).toEqual(good);
    tamper(path, "UPDATE messages SET content = 'forged' WHERE id = 2");
    expect(() => db.rebuild()).toThrow(expect.objectContaining({ code: "UNEXPLAINED_ROWS" }));
  });

  test("what was deleted stays away, and no id comes twice", () => {
    const { db, session, say, path } = filled();
    db.deleteSession("gone");
    expect(rowsOf(path, "SELECT max(id) FROM messages")).toEqual([[5]]);
    const before = tableContents(path);
    db.rebuild();
    expect(tableContents(path)).toEqual(before);
    expect(db.getSession("gone")).toBeNull();
    session("gone");
    expect(say("gone", "new")).toBe(7);
    db.deleteSessions(["s", "t", "gone"]);
    db.rebuild();
    expect(rowsOf(path, "SELECT count(*) FROM messages")).toEqual([[0]]);
    session("new");
    expect(say("new", "the first")).toBe(8);
    expect(db.verify({ deep: true }).ok).toBe(true);
  });

  test("a cleared transcript stays cleared", () => {
    const { db, say, path } = filled();
    db.clearMessages("s");
    say("s", "after");
    const before = tableContents(path);
    db.rebuild();
    expect(tableContents(path)).toEqual(before);
    expect(db.getMessages("s").map((message) => message.id)).toEqual([7]);
  });

  test("views and other tables of the file are no hindrance", () => {
    const { db, path } = filled();
    tamper(
      path,
      `CREATE VIEW overview AS SELECT s.title, count(*) AS n FROM sessions s JOIN messages m ON m.session_id = s.id;
       CREATE TABLE notes (session_id TEXT REFERENCES sessions(id), note TEXT);
       INSERT INTO notes VALUES ('s', 'mine');
       CREATE TRIGGER notes_too AFTER INSERT ON notes BEGIN UPDATE sessions SET title = title WHERE id = new.session_id; END`,
    );
    db.rebuild();
    expect(rowsOf(path, "SELECT n FROM overview")).toEqual([[6]]);
    expect(rowsOf(path, "SELECT * FROM notes")).toEqual([["s", "mine"]]);
    expect(rowsOf(path, "SELECT sql FROM sqlite_schema WHERE name = 'notes'")).toEqual([
      ["CREATE TABLE notes (session_id TEXT REFERENCES sessions(id), note TEXT)"],
    ]);
    expect(db.verify().ok).toBe(true);
  });

  test("markers of an unfinished index are gone with it", () => {
    const { db, path } = filled();
    db.log.append({ type: "MetaSet", payload: { key: "fts_rebuild_high_water", value: "3" } });
    db.rebuild();
    expect(rowsOf(path, "SELECT key FROM state_meta ORDER BY key")).toEqual([["k"]]);
    db.deleteSession("s");
    expect(rowsOf(path, "SELECT count(*) FROM messages_fts_docsize")).toEqual([[2]]);
  });

  test.each(["before it begins", "between two steps"])("stopped %s it leaves everything as it was", (when) => {
    const { db, path, say } = filled();
    const before = { tables: tableContents(path), schema: rowsOf(path, "SELECT * FROM sqlite_schema") };
    const stop = new AbortController();
    const reason = new Error("enough");
    if (when === "before it begins") stop.abort(reason);
    const onProgress = (): void => stop.abort(reason);
    const run = (): unknown => db.rebuild({ signal: stop.signal, onProgress });
    if (when === "before it begins") expect(run).toThrow(reason);
    else {
      db.transaction(() => {
        for (let i = 0; i < 1000; i++)
          db.log.append({ type: "MetaSet", payload: { key: "counter", value: String(i) } });
      });
      before.tables = tableContents(path);
      expect(run).toThrow(reason);
    }
    expect({ tables: tableContents(path), schema: rowsOf(path, "SELECT * FROM sqlite_schema") }).toEqual(before);
    expect(say("s", "goes on")).toBe(7);
    expect(() => db.appendMessage({ session_id: "nobody", role: "user" })).toThrow("nobody");
    expect(db.verify().ok).toBe(true);
  });

  test("inside a transaction it is refused", () => {
    const { db } = filled();
    expect(() => db.transaction(() => db.rebuild())).toThrow(
      expect.objectContaining({ code: "MAINTENANCE_IN_TRANSACTION" }),
    );
  });

  test("a store that is only read is not rebuilt", () => {
    const { db, another, path } = filled();
    db.close();
    expect(() => another({ readOnly: true }).rebuild()).toThrow(expect.objectContaining({ kind: "read_only" }));
    expect(existsSync(path)).toBe(true);
  });
});
