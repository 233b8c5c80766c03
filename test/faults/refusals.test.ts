import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import type { EventDraft, SessionDB } from "../../src/index.js";
import { fileState, ledgerFile, type LedgerFile } from "../support/ledger-file.js";

let file: LedgerFile;
let before: unknown;

/**
 * Sessions `s` (titled, two messages), `ended`, `compressed`, `locked`, `busy-title`; everything in the main file, so that
 * any byte a refusal wrote would show.
 */
beforeEach(() => {
  file = ledgerFile();
  const { db, session, say } = file;
  session("s", "ended", "compressed", "locked", "titled");
  say("s", "one");
  say("s", "two");
  db.setSessionTitle("titled", "taken");
  db.endSession("ended", "user_exit");
  db.endSession("compressed", "compression");
  db.tryAcquireCompressionLock("locked", "someone", { ttl_seconds: 1000 });
  emptyLog();
  before = state();
});

function emptyLog(): void {
  const other = new Database(file.path);
  other.pragma("wal_checkpoint(TRUNCATE)");
  other.close();
}

function state(): unknown {
  return { ...fileState(file.path), head: file.db.log.head() };
}

const draft = (type: string, payload: object, event_id?: string): EventDraft =>
  ({ type, payload, event_id }) as EventDraft;

const operations: [string, (db: SessionDB) => unknown][] = [
  ["appendMessage to an unknown session", (db) => db.appendMessage({ session_id: "no", role: "user" })],
  ["appendMessage to a compressed session", (db) => db.appendMessage({ session_id: "compressed", role: "user" })],
  ["appendMessage to a locked session", (db) => db.appendMessage({ session_id: "locked", role: "user" })],
  [
    "appendMessage that expects another version",
    (db) => db.appendMessage({ session_id: "s", role: "user", expectedVersion: 1 }),
  ],
  ["appendMessage without a role", (db) => db.appendMessage({ session_id: "s", role: null as unknown as string })],
  [
    "appendMessage with half a character",
    (db) => db.appendMessage({ session_id: "s", role: "user", tool_call_id: "\ud83d" }),
  ],
  [
    "appendMessage with an integer beyond 64 bits",
    (db) => db.appendMessage({ session_id: "s", role: "user", token_count: 2n ** 64n }),
  ],
  [
    "appendMessage with a cycle",
    (db) => {
      const list: unknown[] = [];
      list.push(list);
      db.appendMessage({ session_id: "s", role: "user", tool_calls: list });
    },
  ],
  [
    "createSession with an unknown parent",
    (db) => db.createSession({ session_id: "new", source: "cli", parent_session_id: "no" }),
  ],
  [
    "createSession that expects none",
    (db) => db.createSession({ session_id: "s", source: "cli", model: "m", expectedVersion: "none" }),
  ],
  ["createSession with half a character", (db) => db.createSession({ session_id: "new", source: "\ud83d" })],
  ["setSessionTitle to a taken one", (db) => db.setSessionTitle("s", "taken")],
  ["setSessionTitle to a long one", (db) => db.setSessionTitle("s", "x".repeat(101))],
  ["replaceMessages of an unknown session", (db) => db.replaceMessages("no", [{ role: "user" }])],
  ["replaceMessages of a compressed session", (db) => db.replaceMessages("compressed", [{ role: "user" }])],
  [
    "replaceMessages whose last one cannot be stored",
    (db) => db.replaceMessages("s", [{ role: "user" }, { role: "user", token_count: 2n ** 64n }]),
  ],
  ["archiveAndCompact of an unknown session", (db) => db.archiveAndCompact("no", [{ role: "user" }])],
  ["rewindToMessage of another session's message", (db) => db.rewindToMessage("ended", 1)],
  [
    "publishCompressionChild of an ended session",
    (db) => db.publishCompressionChild("ended", "child", "cli", [{ role: "user", content: "x" }]),
  ],
  [
    "publishCompressionChild over a session that is there",
    (db) => db.publishCompressionChild("s", "titled", "cli", [{ role: "user", content: "x" }]),
  ],
  ["publishCompressionChild without messages", (db) => db.publishCompressionChild("s", "child", "cli", [])],
  [
    "importSessions with a taken title",
    (db) =>
      db.importSessions([
        { id: "first", source: "cli", started_at: 1, messages: [{ role: "user", content: "x", timestamp: 1 }] },
        { id: "second", source: "cli", started_at: 1, title: "taken", messages: [] },
      ]),
  ],
  ["pruneSessions with an unknown filter", (db) => db.pruneSessions({ colour: "red" } as object)],
  [
    "updateTokenCounts with what is no number",
    (db) => db.updateTokenCounts("s", { input_tokens: "many" as unknown as number }),
  ],
  [
    "log.append of a batch whose last event is refused",
    (db) =>
      db.log.append([
        draft("MessageAppended", { session_id: "s", message: { role: "user", content: "in vain" } }),
        draft("SessionsDeleted", { session_ids: ["ended"] }),
        draft("TitleSet", { session_id: "s", title: "taken" }),
      ]),
  ],
  [
    "log.append of another event under an old id",
    (db) => db.log.append(draft("MetaSet", { key: "k", value: "v" }, [...db.log.read({ limit: 1 })][0]?.event_id)),
  ],
  [
    "a transaction that throws after it deleted and wrote",
    (db) =>
      db.transaction(() => {
        db.appendMessage({ session_id: "s", role: "user", content: "in vain" });
        db.deleteSession("s");
        db.createSession({ session_id: "s", source: "again" });
        throw new Error("no");
      }),
  ],
];

describe("what is refused changes no byte, no head and no next id", () => {
  test.each(operations)("%s", (_, run) => {
    const { db, say } = file;
    expect(() => run(db)).toThrow();
    expect(state()).toEqual(before);
    expect(say("s", "the next")).toBe(3);
    expect(db.log.head().position).toBe(12);
    expect(db.verify().ok).toBe(true);
  });

  const drafts: EventDraft[] = [
    draft("MessageAppended", { session_id: "no", message: { role: "user" } }),
    draft("MessageAppended", { session_id: "s", message: { role: "user", id: 1 } }),
    draft("MessageAppended", { session_id: "s", message: { role: "user", unknown: 1 } }),
    draft("MessageAppended", { session_id: "locked", message: { role: "user" } }),
    draft("SessionCreated", { session_id: "s", created: true, fields: { source: "x" } }),
    draft("SessionImported", { session_id: "new", fields: { source: "x", started_at: 1, title: "taken" } }),
    draft("SessionEnded", { session_id: "ended" }),
    draft("SessionReopened", { session_id: "s" }),
    draft("TitleSet", { session_id: "s", title: " x" }),
    draft("SessionsDeleted", { session_ids: ["s"], through_id: 7 }),
    draft("UsageRecorded", { session_id: "no", counters: { input_tokens: 1 } }),
    draft("MessagesRewound", { session_id: "s", from_id: 9, through_id: 9 }),
    draft("RowCaptured", { table: "messages", operation: "delete", key: { id: 1 }, values: null }),
    draft("MetaSet", { key: "k", value: "\udfff" }),
    draft("Nothing", {}),
  ];
  test.each(drafts.map((event): [string, EventDraft] => [`${event.type} ${JSON.stringify(event.payload)}`, event]))(
    "an emitted %s",
    (_, event) => {
      const { db, say } = file;
      expect(() => db.log.append(event)).toThrow();
      expect(state()).toEqual(before);
      expect(say("s", "the next")).toBe(3);
    },
  );
});

describe("what changes nothing writes nothing", () => {
  const idle: [string, (db: SessionDB) => unknown][] = [
    ["createSession of what is there", (db) => db.createSession({ session_id: "s", source: "other" })],
    ["endSession of an ended session", (db) => db.endSession("ended", "again")],
    ["endSession of an unknown session", (db) => db.endSession("no", "x")],
    ["reopenSession of a live session", (db) => db.reopenSession("s")],
    ["setSessionTitle to the same", (db) => db.setSessionTitle("titled", "taken")],
    ["setSessionTitle of an unknown session", (db) => db.setSessionTitle("no", "x")],
    ["setSessionArchived to what it is", (db) => db.setSessionArchived("s", false)],
    ["deleteSession of an unknown session", (db) => db.deleteSession("no")],
    ["deleteSessions of none", (db) => db.deleteSessions([])],
    ["deleteSession that expects others", (db) => db.deleteSession("s", { expected_delete_ids: ["ended"] })],
    ["pruneSessions that finds nothing", (db) => db.pruneSessions({ older_than_days: 9000 })],
    ["importSessions of none", (db) => db.importSessions([])],
    ["an empty transaction", (db) => db.transaction(() => undefined)],
    ["releaseCompressionLock of another holder", (db) => db.releaseCompressionLock("locked", "me")],
    ["takeUnseenReactions where there are none", (db) => db.takeUnseenReactions("s")],
    [
      "a known event again",
      (db) => {
        const [event] = [...db.log.read({ types: ["MessageAppended"], limit: 1 })];
        if (event?.type !== "MessageAppended" || event.erased) throw new Error("no message in the log");
        return db.log.append({ type: event.type, payload: event.payload, event_id: event.event_id });
      },
    ],
  ];
  test.each(idle)("%s", (_, run) => {
    run(file.db);
    expect(state()).toEqual(before);
  });
});
