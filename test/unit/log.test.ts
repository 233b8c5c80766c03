import { describe, expect, expectTypeOf, test } from "vitest";
import type { EventDraft, StoredEvent } from "../../src/index.js";
import { ledgerFile, rowsOf, tamper } from "../support/ledger-file.js";

const created = (session_id: string): EventDraft<"SessionCreated"> => ({
  type: "SessionCreated",
  payload: { session_id, fields: { source: "cli" } },
});
const meta = (key: string, value = "v"): EventDraft<"MetaSet"> => ({ type: "MetaSet", payload: { key, value } });
const message = (session_id: string, content: string): EventDraft<"MessageAppended"> => ({
  type: "MessageAppended",
  payload: { session_id, message: { role: "user", content } },
});
const failureOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
};

describe("what cannot be meant is refused, and nothing is appended", () => {
  test.each<[string, unknown, string]>([
    ["no event at all", null, "INVALID_EVENT"],
    ["an event without a type", { payload: {} }, "INVALID_EVENT"],
    ["an unknown type", { type: "SessionVanished", payload: {} }, "UNKNOWN_EVENT_TYPE"],
    ["a name that every object has", { type: "constructor", payload: {} }, "UNKNOWN_EVENT_TYPE"],
    ["no payload", { type: "MetaSet" }, "INVALID_EVENT"],
    ["an empty batch", [], "INVALID_APPEND"],
    ["an empty event id", { ...meta("k"), event_id: "" }, "INVALID_APPEND"],
    ["an event id of 201 characters", { ...meta("k"), event_id: "x".repeat(201) }, "INVALID_APPEND"],
    ["an event id that is a number", { ...meta("k"), event_id: 7 }, "INVALID_APPEND"],
    ["an event id with half a character", { ...meta("k"), event_id: "\ud800" }, "INVALID_APPEND"],
    ["metadata that is text", { ...meta("k"), metadata: "me" }, "INVALID_APPEND"],
    ["metadata that is a list", { ...meta("k"), metadata: ["me"] }, "INVALID_APPEND"],
    ["metadata that JSON cannot say", { ...meta("k"), metadata: { big: 5n } }, "INVALID_APPEND"],
    ["metadata that would come back as null", { ...meta("k"), metadata: { at: NaN } }, "INVALID_APPEND"],
  ])("%s", (_, draft, code) => {
    const { db } = ledgerFile();
    expect(failureOf(() => db.log.append(draft as EventDraft))).toMatchObject({ code, kind: "validation" });
    expect(db.log.head()).toMatchObject({ position: 0, events: 0 });
  });

  test.each([-1, 1.5, NaN, "three"])("the expected version %s", (expectedVersion) => {
    const { db } = ledgerFile();
    const append = (): unknown => db.log.append(meta("k"), { expectedVersion: expectedVersion as number });
    expect(append).toThrow(expect.objectContaining({ code: "INVALID_APPEND" }));
    expect(db.log.head().position).toBe(0);
  });

  test.each([
    { from: NaN },
    { from: -1 },
    { to: 2.5 },
    { limit: -1 },
    { limit: 1.5 },
    { from: 2 ** 53 },
    { from: Infinity },
  ])("reading with %o", (options) => {
    const { db } = ledgerFile();
    expect(() => db.log.read(options)).toThrow(expect.objectContaining({ code: "INVALID_READ" }));
  });
});

describe("appending", () => {
  test("one event comes back as it is stored", () => {
    const { db } = ledgerFile();
    const event = db.log.append(created("s"), { metadata: { actor: "agent:planner", correlation_id: "c1" } });
    expectTypeOf(event).toEqualTypeOf<StoredEvent<"SessionCreated">>();
    expect(event).toMatchObject({
      position: 1,
      stream_id: "s",
      stream_version: 1,
      type: "SessionCreated",
      schema_version: 1,
      recorded_at: 1000,
      origin: "store",
      metadata: { actor: "agent:planner", correlation_id: "c1" },
      payload: { session_id: "s", created: true, cause: "create", fields: { source: "cli", started_at: 1000 } },
      erased: false,
    });
    expect(event.event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(event.hash).toHaveLength(32);
    expect([...db.log.read()]).toEqual([event]);
  });

  test("a batch is one transaction: all of it or nothing", () => {
    const { db } = ledgerFile();
    const events = db.log.append([created("a"), message("a", "one"), message("a", "two"), meta("k")]);
    expect(events.map((event) => [event.position, event.stream_id, event.stream_version])).toEqual([
      [1, "a", 1],
      [2, "a", 2],
      [3, "a", 3],
      [4, "$meta", 1],
    ]);
    expect(() => db.log.append([created("b"), message("nobody", "lost")])).toThrow(
      expect.objectContaining({ code: "SESSION_NOT_FOUND" }),
    );
    expect(db.log.head().position).toBe(4);
    expect(db.getSession("b")).toBeNull();
    expect(db.log.append(created("b")).position).toBe(5);
  });

  test("positions and versions have no gaps, whatever was refused between", () => {
    const { db, path, session, say } = ledgerFile();
    session("a", "b");
    for (let i = 0; i < 20; i++) {
      say(i % 3 === 0 ? "a" : "b", `message ${i}`);
      expect(() => say("nobody", "lost")).toThrow();
    }
    const events = [...db.log.read()];
    expect(events.map((event) => event.position)).toEqual(Array.from({ length: 22 }, (_, i) => i + 1));
    for (const stream of ["a", "b"]) {
      const versions = events.filter((event) => event.stream_id === stream).map((event) => event.stream_version);
      expect(versions).toEqual(Array.from({ length: versions.length }, (_, i) => i + 1));
      expect(db.log.streamVersion(stream)).toBe(versions.length);
    }
    expect(rowsOf(path, "SELECT max(id), count(*) FROM messages")).toEqual([[20, 20]]);
  });

  test("metadata of an event goes before that of the batch, and origin is kept", () => {
    const { db } = ledgerFile();
    const drafts = [meta("a"), { ...meta("b"), metadata: { actor: "own", nothing: undefined } }];
    const events = db.log.append(drafts, { metadata: { actor: "all" }, origin: "import" });
    expect(events.map((event) => [event.metadata, event.origin])).toEqual([
      [{ actor: "all" }, "import"],
      [{ actor: "own" }, "import"],
    ]);
    expect([...db.log.read()]).toEqual(events);
  });

  test("the ids come from the generator that was given", () => {
    let next = 0;
    const { db } = ledgerFile({ ids: () => `event-${++next}` });
    expect(db.log.append([meta("a"), meta("b")]).map((event) => event.event_id)).toEqual(["event-1", "event-2"]);
  });
});

describe("the expected version", () => {
  test("a number, none and any", () => {
    const { db } = ledgerFile();
    expect(db.log.append(created("s"), { expectedVersion: "none" }).stream_version).toBe(1);
    expect(db.log.append(message("s", "one"), { expectedVersion: 1 }).stream_version).toBe(2);
    expect(db.log.append(message("s", "two"), { expectedVersion: "any" }).stream_version).toBe(3);
    expect(db.log.append(meta("k"), { expectedVersion: 0 }).stream_version).toBe(1);
  });

  test.each<[number | "none", number]>([
    [0, 2],
    [1, 2],
    [3, 2],
    ["none", 2],
  ])("%s against version 2 is a conflict that names the current version", (expectedVersion, currentVersion) => {
    const { db } = ledgerFile();
    db.log.append([created("s"), message("s", "one")]);
    expect(failureOf(() => db.log.append(message("s", "two"), { expectedVersion }))).toMatchObject({
      kind: "version_conflict",
      code: "VERSION_CONFLICT",
      streamId: "s",
      expectedVersion,
      currentVersion,
      message:
        `Stream 's' is at version 2, expected ${expectedVersion}; nothing was appended. ` +
        "Read the events since, decide again, and append with expectedVersion 2.",
    });
    expect(db.log.head().position).toBe(2);
    expect(db.messageCount()).toBe(1);
  });

  test("of two writers that saw the same version one wins", () => {
    const { db, another } = ledgerFile();
    const other = another();
    db.log.append(created("s"));
    const seen = other.log.streamVersion("s");
    db.log.append(message("s", "first"), { expectedVersion: seen });
    expect(() => other.log.append(message("s", "second"), { expectedVersion: seen })).toThrow(
      expect.objectContaining({ currentVersion: 2 }),
    );
    expect(other.log.append(message("s", "second"), { expectedVersion: 2 }).stream_version).toBe(3);
  });

  test("a batch stands the test once, with its first event", () => {
    const { db } = ledgerFile();
    db.log.append([created("s"), message("s", "one")], { expectedVersion: "none" });
    expect(db.log.append([message("s", "two"), message("s", "three")], { expectedVersion: 2 })).toHaveLength(2);
    expect(db.log.streamVersion("s")).toBe(4);
  });

  test("a batch across streams has no one version", () => {
    const { db } = ledgerFile();
    db.log.append(created("s"));
    const append = (): unknown => db.log.append([message("s", "one"), meta("k")], { expectedVersion: 1 });
    expect(append).toThrow(expect.objectContaining({ code: "INVALID_APPEND" }));
    expect(append).toThrow("MetaSet belongs to stream '$meta', not to 's'; nothing was appended.");
    expect(() => db.log.append(message("s", "one"), { streamId: "other" })).toThrow("not to 'other'");
    expect(db.log.head().position).toBe(1);
  });

  test("an event that was in the log already stands no test for the new one behind it", () => {
    const { db } = ledgerFile();
    const known = { ...meta("a"), event_id: "known" };
    db.log.append(known);
    expect(() => db.log.append([known, meta("b")], { expectedVersion: 7 })).toThrow(
      expect.objectContaining({ currentVersion: 1 }),
    );
    expect(db.log.append([known, meta("b")], { expectedVersion: 1 }).map((event) => event.position)).toEqual([1, 2]);
    // The whole batch again, as after a lost answer: everything is there, and no version is asked for.
    const again = { ...meta("b"), event_id: "second" };
    db.log.append([again], { expectedVersion: 2 });
    expect(db.log.append([known, again], { expectedVersion: 2 }).map((event) => event.position)).toEqual([1, 3]);
  });
});

describe("an event id is stored once", () => {
  const drafts: [string, EventDraft][] = [
    ["SessionCreated", created("new")],
    ["MessageAppended", message("s", "hello")],
    [
      "MessageAppended whose time cannot be read",
      { type: "MessageAppended", payload: { session_id: "s", message: { role: "user", timestamp: "soon" } } },
    ],
    [
      "MessageAppended with structured parts",
      {
        type: "MessageAppended",
        payload: {
          session_id: "s",
          message: {
            role: "assistant",
            content: [{ type: "text", text: "hi" }],
            tool_calls: [{ id: "c1" }],
            reasoning_details: '{"already":"text"}',
          },
        },
      },
    ],
    ["SessionEnded", { type: "SessionEnded", payload: { session_id: "s", end_reason: "user_exit" } }],
    ["TitleSet", { type: "TitleSet", payload: { session_id: "s", title: "A title" } }],
    [
      "UsageRecorded",
      {
        type: "UsageRecorded",
        payload: { session_id: "s", counters: { input_tokens: 5 }, model: "m", billing_provider: "p" },
      },
    ],
    ["SessionsDeleted", { type: "SessionsDeleted", payload: { session_ids: ["gone"] } }],
    ["MetaSet", meta("k")],
  ];

  test.each(drafts)("%s again gives the stored event, for ever", (_, draft) => {
    const { db, session, setClock, another } = ledgerFile();
    session("s", "gone");
    const keyed = { ...draft, event_id: "once" };
    const first = db.log.append(keyed);
    const head = db.log.head();
    setClock(2000);
    expect(db.log.append(keyed)).toEqual(first);
    // What came since changes nothing.
    session("later");
    if (draft.type !== "SessionCreated") db.log.append({ type: "MetaSet", payload: { key: "k2", value: null } });
    expect(db.log.append(keyed)).toEqual(first);
    // What the store completed may be given, too.
    expect(db.log.append({ ...keyed, payload: first.payload } as EventDraft)).toEqual(first);
    db.close();
    const reopened = another();
    expect(reopened.log.append(keyed)).toEqual(first);
    expect(reopened.log.append([keyed, keyed])).toEqual([first, first]);
    expect([...reopened.log.read({ to: head.position })]).toHaveLength(head.position);
    expect(reopened.verify().ok).toBe(true);
  });

  test.each<[string, EventDraft, EventDraft]>([
    ["other text", message("s", "one"), message("s", "two")],
    ["another session", message("s", "one"), message("t", "one")],
    ["another type", meta("k"), { type: "SessionEnded", payload: { session_id: "s" } }],
    [
      "another time",
      message("s", "one"),
      {
        type: "MessageAppended",
        payload: { session_id: "s", message: { role: "user", content: "one", timestamp: 5 } },
      },
    ],
    [
      "another end",
      { type: "SessionEnded", payload: { session_id: "s", end_reason: "a" } },
      {
        type: "SessionEnded",
        payload: { session_id: "s", end_reason: "b" },
      },
    ],
    [
      "other counters",
      { type: "UsageRecorded", payload: { session_id: "s", counters: { input_tokens: 5 } } },
      {
        type: "UsageRecorded",
        payload: { session_id: "s", counters: { input_tokens: 6 } },
      },
    ],
    [
      "another model",
      { type: "UsageRecorded", payload: { session_id: "s", counters: { input_tokens: 5 }, model: "m" } },
      {
        type: "UsageRecorded",
        payload: { session_id: "s", counters: { input_tokens: 5 }, model: "n" },
      },
    ],
  ])("with %s it is a conflict", (_, first, second) => {
    const { db, session } = ledgerFile();
    session("s", "t");
    const { position } = db.log.append({ ...first, event_id: "once" });
    expect(failureOf(() => db.log.append({ ...second, event_id: "once" }))).toMatchObject({
      kind: "duplicate_conflict",
      code: "DUPLICATE_CONFLICT",
      eventId: "once",
      position,
    });
    expect(db.log.head().position).toBe(position);
  });

  test("its own stored event is found again after it was erased", () => {
    const { db, session } = ledgerFile();
    session("s");
    const keyed = { ...message("s", "secret"), event_id: "once" };
    const first = db.log.append(keyed);
    db.log.append({ type: "SessionsDeleted", payload: { session_ids: ["s"] } });
    expect(db.log.append(keyed)).toMatchObject({ position: first.position, erased: true, payload: null });
    expect(() => db.log.append({ ...meta("k"), event_id: "once" })).toThrow(
      expect.objectContaining({ kind: "duplicate_conflict" }),
    );
    expect(db.log.head().position).toBe(3);
  });
});

describe("reading", () => {
  const filled = (): ReturnType<typeof ledgerFile> => {
    const file = ledgerFile();
    file.session("a", "b");
    for (let i = 0; i < 6; i++) file.say(i % 2 === 0 ? "a" : "b", `message ${i}`);
    file.db.log.append(meta("k"));
    return file;
  };

  test.each<[Parameters<ReturnType<typeof ledgerFile>["db"]["log"]["read"]>[0], number[]]>([
    [undefined, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ from: 7 }, [7, 8, 9]],
    [{ to: 2 }, [1, 2]],
    [{ from: 3, to: 4 }, [3, 4]],
    [{ from: 4, to: 3 }, []],
    [{ from: 0 }, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ from: 100 }, []],
    [{ limit: 2 }, [1, 2]],
    [{ limit: 0 }, []],
    [{ limit: Infinity }, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ reverse: true }, [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    [{ reverse: true, limit: 2 }, [9, 8]],
    [{ reverse: true, from: 4 }, [4, 3, 2, 1]],
    [{ reverse: true, from: 4, to: 3 }, [4, 3]],
    [{ streamId: "a" }, [1, 3, 5, 7]],
    [{ streamId: "a", reverse: true, limit: 1 }, [7]],
    [{ streamId: "%" }, []],
    [{ types: ["SessionCreated"] }, [1, 2]],
    [{ types: ["SessionCreated", "MetaSet"] }, [1, 2, 9]],
    [{ types: [] }, []],
    [{ types: ["MessageAppended"], streamId: "b", from: 5 }, [6, 8]],
  ])("%o", (options, positions) => {
    const { db } = filled();
    expect([...db.log.read(options)].map((event) => event.position)).toEqual(positions);
  });

  test("goes on over more than a batch while more is appended", () => {
    const { db, session, say } = ledgerFile();
    session("s");
    db.transaction(() => {
      for (let i = 0; i < 1100; i++) db.log.append(meta(`k${i}`));
    });
    const seen: number[] = [];
    for (const event of db.log.read()) {
      seen.push(event.position);
      if (event.position % 250 === 0 && event.position <= 1000) say("s", "while reading");
    }
    expect(seen).toEqual(Array.from({ length: 1105 }, (_, i) => i + 1));
    const fixed: number[] = [];
    for (const event of db.log.read({ reverse: true, to: 100 })) {
      fixed.push(event.position);
      if (fixed.length === 300) say("s", "behind the reader");
    }
    expect(fixed).toEqual(Array.from({ length: 1006 }, (_, i) => 1105 - i));
  });

  test("large payloads make smaller batches, and none is lost", () => {
    const { db, session, say } = ledgerFile();
    session("s");
    for (let i = 0; i < 12; i++) say("s", `${i} ${"x".repeat(1_000_000)}`);
    const texts = [...db.log.read({ types: ["MessageAppended"] })].map(
      (event) => event.type === "MessageAppended" && !event.erased && String(event.payload.message.content).slice(0, 2),
    );
    expect(texts.map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test("a reader that is left early keeps nothing busy", () => {
    const { db, say } = filled();
    for (const event of db.log.read()) {
      if (event.position === 2) break;
    }
    expect(say("a", "goes on")).toBe(7);
  });

  test("a store that was closed meanwhile says so", () => {
    const { db } = filled();
    const reader = db.log.read();
    db.close();
    expect(() => reader.next()).toThrow(expect.objectContaining({ code: "STORE_CLOSED" }));
    expect(() => db.log.read()).toThrow(expect.objectContaining({ code: "STORE_CLOSED" }));
    expect(() => db.log.append(meta("k"))).toThrow(expect.objectContaining({ code: "STORE_CLOSED" }));
  });
});

describe("the head", () => {
  test("names the newest event", () => {
    const { db, setClock } = ledgerFile();
    expect(db.log.head()).toEqual({ position: 0, hash: "0".repeat(64), events: 0, recorded_at: null });
    setClock(1234.5);
    const event = db.log.append([meta("a"), meta("b")])[1];
    expect(db.log.head()).toEqual({
      position: 2,
      hash: Buffer.from(event?.hash ?? []).toString("hex"),
      events: 2,
      recorded_at: 1234.5,
    });
  });

  test("nothing follows an event that lost its hash", () => {
    const { db, path } = ledgerFile();
    db.log.append(meta("a"));
    tamper(path, "UPDATE ledger_events SET hash = NULL");
    expect(() => db.log.append(meta("b"))).toThrow(expect.objectContaining({ kind: "corrupt", code: "DAMAGED_LOG" }));
    expect(rowsOf(path, "SELECT key FROM state_meta")).toEqual([["a"]]);
  });

  test("versions of streams", () => {
    const { db, session, say } = ledgerFile();
    session("a");
    say("a", "one");
    expect([db.log.streamVersion("a"), db.log.streamVersion("nobody")]).toEqual([2, 0]);
  });
});
