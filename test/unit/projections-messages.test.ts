import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventPayloads, StoredEvent } from "../../src/events/index.js";
import { messages } from "../../src/projections/messages.js";
import { projectionSql, type SqlRow } from "../../src/projections/projection-sql.js";
import { freshTables, messageAppended, project, sessionCreated, storedEvent } from "../support/events.js";

let db: Database;
beforeEach(() => {
  db = freshTables();
  project(db, [sessionCreated("s1"), sessionCreated("s2")]);
});
afterEach(() => {
  db.close();
});

function states(): unknown[] {
  return db.prepare("SELECT id, active, compacted FROM messages ORDER BY id").raw().all();
}

function message(id: number): SqlRow | undefined {
  return projectionSql(db).get("SELECT * FROM {messages} WHERE id = @id", { id });
}

function sequence(): unknown {
  const statement = db.prepare("SELECT seq, typeof(seq) FROM sqlite_sequence WHERE name = 'messages'").raw();
  return statement.get();
}

type Rewrite = EventPayloads["TranscriptRewritten"];

function rewritten(mode: Rewrite["mode"], through_id: number, ids: readonly number[]): StoredEvent {
  return storedEvent("TranscriptRewritten", {
    session_id: "s1",
    mode,
    through_id,
    messages: ids.map((id) => ({ id, role: "user", timestamp: id, content: `new ${id}` })),
    message_count: ids.length,
    tool_call_count: 0,
  });
}

describe("MessageAppended", () => {
  it("inserts the row under its id; absent columns are NULL", () => {
    project(db, [messageAppended("s1", 5, { content: undefined })]);
    const row = message(5)!;
    expect(Object.keys(row)).toEqual(Object.keys(messages.columns));
    expect(row).toMatchObject({ id: 5, session_id: "s1", role: "user", timestamp: 2005, observed: 0, active: 1 });
    const given = ["id", "session_id", "role", "timestamp", "observed", "active", "compacted"];
    expect(Object.keys(row).filter((column) => row[column] !== null)).toEqual(given);
  });

  it("stores every column as given", () => {
    const record = {
      role: "assistant",
      timestamp: 1.25,
      content: "\0json:[1]",
      tool_call_id: "c",
      tool_calls: "[]",
      tool_name: "t",
      effect_disposition: "none",
      token_count: 9007199254740993n,
      finish_reason: "stop",
      reasoning: "r",
      reasoning_content: "",
      reasoning_details: "{}",
      codex_reasoning_items: "[1]",
      codex_message_items: "[2]",
      platform_message_id: "p",
      observed: 1 as const,
      api_content: "a",
      display_kind: "hidden",
      display_metadata: '{"k": 1}',
    };
    project(db, [messageAppended("s1", 1, record)]);
    expect(message(1)).toEqual({ id: 1, session_id: "s1", active: 1, compacted: 0, ...record });
  });

  it("keeps bytes as bytes and infinite times", () => {
    project(db, [messageAppended("s1", 1, { content: new Uint8Array([0, 255]), timestamp: Infinity })]);
    expect(message(1)).toMatchObject({ content: Buffer.from([0, 255]), timestamp: Infinity });
    expect(db.prepare("SELECT typeof(content) FROM messages").pluck().get()).toBe("blob");
  });

  it("never overwrites a row", () => {
    project(db, [messageAppended("s1", 1)]);
    expect(() => project(db, [messageAppended("s2", 1)])).toThrow(/UNIQUE/);
    expect(message(1)).toMatchObject({ session_id: "s1" });
  });

  it("needs its session, and does without where foreign keys are off", () => {
    expect(() => project(db, [messageAppended("none", 1)])).toThrow(/FOREIGN KEY/);
    db.pragma("foreign_keys = OFF");
    project(db, [messageAppended("none", 1)]);
    expect(message(1)).toMatchObject({ session_id: "none" });
  });
});

describe("TranscriptRewritten", () => {
  beforeEach(() => {
    project(db, [
      messageAppended("s1", 1),
      messageAppended("s2", 2),
      messageAppended("s1", 3),
      storedEvent("MessagesRewound", { session_id: "s1", from_id: 3, through_id: 3 }),
    ]);
  });

  it.each([
    [
      "all",
      [
        [2, 1, 0],
        [4, 1, 0],
      ],
    ],
    [
      "clear",
      [
        [2, 1, 0],
        [4, 1, 0],
      ],
    ],
    [
      "active",
      [
        [2, 1, 0],
        [3, 0, 0],
        [4, 1, 0],
      ],
    ],
    [
      "compact",
      [
        [1, 0, 1],
        [2, 1, 0],
        [3, 0, 0],
        [4, 1, 0],
      ],
    ],
    [
      "seed",
      [
        [1, 1, 0],
        [2, 1, 0],
        [3, 0, 0],
        [4, 1, 0],
      ],
    ],
  ] as const)("mode %s", (mode, expected) => {
    project(db, [rewritten(mode, 3, [4])]);
    expect(states()).toEqual(expected);
    expect(message(4)).toMatchObject({ content: "new 4", session_id: "s1" });
  });

  it("leaves rows above through_id", () => {
    project(db, [rewritten("all", 1, [])]);
    expect(states()).toEqual([
      [2, 1, 0],
      [3, 0, 0],
    ]);
  });
});

describe("MessagesRewound and MessagesRestored", () => {
  it("change only rows of the session in the range", () => {
    project(
      db,
      [1, 2, 3, 4].map((id) => messageAppended(id === 3 ? "s2" : "s1", id)),
    );
    project(db, [storedEvent("MessagesRewound", { session_id: "s1", from_id: 2, through_id: 3 })]);
    expect(states()).toEqual([
      [1, 1, 0],
      [2, 0, 0],
      [3, 1, 0],
      [4, 1, 0],
    ]);
    project(db, [storedEvent("MessagesRestored", { session_id: "s1", from_id: 1, through_id: 4 })]);
    expect(states()).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [3, 1, 0],
      [4, 1, 0],
    ]);
  });

  it("restoring revives compacted rows and leaves them marked", () => {
    project(db, [messageAppended("s1", 1), rewritten("compact", 1, [2])]);
    project(db, [storedEvent("MessagesRestored", { session_id: "s1", from_id: 1, through_id: 2 })]);
    expect(states()).toEqual([
      [1, 1, 1],
      [2, 1, 0],
    ]);
  });
});

describe("MessageAnnotated", () => {
  it("sets the given columns of that message of that session", () => {
    const annotated = (session_id: string, fields: EventPayloads["MessageAnnotated"]["fields"]) =>
      storedEvent("MessageAnnotated", { session_id, message_id: 1, fields });
    project(db, [
      messageAppended("s1", 1, { display_kind: "hidden", api_content: "a" }),
      annotated("s1", { display_metadata: "{}", display_kind: null }),
      annotated("s2", { display_kind: "wrong" }),
    ]);
    expect(message(1)).toMatchObject({ display_metadata: "{}", display_kind: null, api_content: "a" });
  });
});

describe("message ids", () => {
  const deleted = (through_id: number): StoredEvent =>
    storedEvent("SessionsDeleted", { session_ids: ["s1"], detached_ids: [], cause: "delete", through_id });

  function nextId(): unknown {
    return db.prepare("INSERT INTO messages (session_id, role, timestamp) VALUES ('s2', 'user', 1)").run()
      .lastInsertRowid;
  }

  it("follow the ids of the log", () => {
    project(db, [messageAppended("s1", 41)]);
    expect(sequence()).toEqual([41, "integer"]);
    expect(nextId()).toBe(42);
  });

  it.each([
    ["a deletion", deleted(17)],
    ["a rewrite", rewritten("clear", 17, [])],
  ])("of erased messages are not given out again after %s in a log without them", (_, event) => {
    expect(sequence()).toBeUndefined();
    project(db, [event]);
    expect(sequence()).toEqual([17, "integer"]);
    expect(nextId()).toBe(18);
  });

  it("are never lowered, and nothing is noted when none was given out", () => {
    project(db, [deleted(0)]);
    expect(sequence()).toBeUndefined();
    project(db, [messageAppended("s2", 30), deleted(17)]);
    expect(sequence()).toEqual([30, "integer"]);
  });

  it("are kept for the tables the events go to", () => {
    const aside = (name: string): string => `${name}__next`;
    project(db, [messageAppended("s2", 3)]);
    for (const statement of messages.schema) projectionSql(db, aside).run(statement);
    db.exec(
      "CREATE TABLE sessions__next AS SELECT * FROM sessions; CREATE TABLE session_model_usage__next (session_id)",
    );
    project(db, [deleted(17)], aside);
    expect(db.prepare("SELECT name, seq FROM sqlite_sequence ORDER BY name").raw().all()).toEqual([
      ["messages", 3],
      ["messages__next", 17],
    ]);
  });

  it("of rows that another program deleted are kept too", () => {
    const row = { table: "messages", operation: "delete", key: { id: 23 }, values: null } as const;
    project(db, [storedEvent("RowCaptured", row)]);
    expect(sequence()).toEqual([23, "integer"]);
  });
});
