import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { eventLog } from "../../src/store/log/event-log.js";
import { Store } from "../../src/store/store.js";
import type { EventDraft } from "../../src/index.js";
import { ledgerFile, rowsOf, tamper } from "../support/ledger-file.js";

const meta = (key: string): EventDraft => ({ type: "MetaSet", payload: { key, value: "v" } });

describe("what a transaction refuses", () => {
  test("a body that goes on later", async () => {
    const { db, session } = ledgerFile();
    let after: Promise<unknown> = Promise.resolve();
    const run = (): unknown =>
      db.transaction(async () => {
        session("half");
        after = Promise.resolve();
        return after;
      });
    expect(run).toThrow(expect.objectContaining({ kind: "validation", code: "ASYNCHRONOUS_TRANSACTION" }));
    await after;
    expect(db.getSession("half")).toBeNull();
    expect(db.log.head().position).toBe(0);
  });

  test("closing the store inside", () => {
    const { db, another, session } = ledgerFile();
    const run = (): void =>
      db.transaction(() => {
        session("half");
        db.close();
      });
    expect(run).toThrow(expect.objectContaining({ code: "STORE_CLOSED" }));
    expect(another().getSession("half")).toBeNull();
  });

  test("a store that is only read, or closed", () => {
    const { db, another } = ledgerFile();
    const reader = another({ readOnly: true });
    expect(() => reader.transaction(() => undefined)).toThrow(expect.objectContaining({ code: "READ_ONLY_STORE" }));
    db.close();
    expect(() => db.transaction(() => undefined)).toThrow(expect.objectContaining({ code: "STORE_CLOSED" }));
  });
});

describe("one commit", () => {
  test("several operations are one batch; their result comes back", () => {
    const { db, another } = ledgerFile();
    const other = another();
    const result = db.transaction(() => {
      db.createSession({ session_id: "s", source: "cli" });
      const ids = [1, 2, 3].map((i) => db.appendMessage({ session_id: "s", role: "user", content: `message ${i}` }));
      db.setSessionTitle("s", "A title");
      expect(db.getSession("s")).toMatchObject({ title: "A title", message_count: 3 });
      // Nobody else sees any of it yet.
      expect(other.getSession("s")).toBeNull();
      expect(other.log.head().position).toBe(0);
      return ids;
    });
    expect(result).toEqual([1, 2, 3]);
    expect(other.getSession("s")).toMatchObject({ title: "A title", message_count: 3 });
    expect([...other.log.read()].map((event) => event.stream_version)).toEqual([1, 2, 3, 4, 5]);
    expect(other.verify().ok).toBe(true);
  });

  test("subscribers hear of it once, after the commit", async () => {
    const { db } = ledgerFile();
    const caughtUp: number[] = [];
    const stream = db.events$();
    stream.caughtUp$.subscribe((position) => caughtUp.push(position));
    const seen: number[] = [];
    const subscription = stream.subscribe((event) => seen.push(event.position));
    await setImmediate();
    db.transaction(() => {
      db.log.append([meta("a"), meta("b")]);
      db.log.append(meta("c"));
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual([1, 2, 3]);
    expect(caughtUp).toEqual([0, 3]);
    subscription.unsubscribe();
  });

  test("transactions within a transaction are part of it", () => {
    const { db, session, say } = ledgerFile();
    const run = (): void =>
      db.transaction(() => {
        session("s");
        db.transaction(() => db.transaction(() => say("s", "deep")));
        throw new Error("after all");
      });
    expect(run).toThrow("after all");
    expect(db.getSession("s")).toBeNull();
    db.transaction(() => {
      session("s");
      db.transaction(() => db.transaction(() => say("s", "deep")));
    });
    expect(db.messageCount()).toBe(1);
  });
});

describe("a transaction that fails", () => {
  test("leaves nothing, and the ids go on as if it had not been", () => {
    const { db, path, session, say } = ledgerFile();
    session("s");
    say("s", "one");
    const head = db.log.head();
    for (const round of [1, 2]) {
      const run = (): void =>
        db.transaction(() => {
          session(`new${round}`);
          say("s", "two");
          say("s", "three");
          throw new Error(`no ${round}`);
        });
      expect(run).toThrow(`no ${round}`);
    }
    expect(db.log.head()).toEqual(head);
    expect(rowsOf(path, "SELECT name, seq FROM sqlite_sequence ORDER BY name")).toEqual([
      ["ledger_events", 2],
      ["messages", 1],
    ]);
    expect(say("s", "two")).toBe(2);
    expect(db.log.head().position).toBe(3);
    expect(rowsOf(path, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'three'")).toEqual([]);
    expect(db.verify({ deep: true }).ok).toBe(true);
  });

  test("runs nothing of what should follow its commit", () => {
    const { db, session, say, another } = ledgerFile();
    session("s");
    say("s", "stays");
    const run = (): void =>
      db.transaction(() => {
        db.deleteSession("s");
        expect(db.getSession("s")).toBeNull();
        throw new Error("no");
      });
    expect(run).toThrow("no");
    expect(another().getMessages("s")).toMatchObject([{ content: "stays" }]);
    expect([...db.log.read({ streamId: "s" })].some((event) => event.erased)).toBe(false);
  });

  test("throws what the body threw, even when that is no error", () => {
    const { db } = ledgerFile();
    let thrown: unknown;
    try {
      db.transaction(() => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- callers do
        throw "text";
      });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe("text");
  });
});

describe("a refusal that is caught inside", () => {
  test("has changed nothing, and the rest goes on", () => {
    const { db, session, say } = ledgerFile();
    session("s");
    const ids = db.transaction(() => {
      const first = say("s", "one");
      expect(() => say("nobody", "lost")).toThrow(expect.objectContaining({ code: "SESSION_NOT_FOUND" }));
      expect(() => db.log.append(meta("k"), { expectedVersion: 5 })).toThrow(
        expect.objectContaining({ code: "VERSION_CONFLICT" }),
      );
      expect(() => db.createSession({ session_id: "x", source: "cli", parent_session_id: "nobody" })).toThrow();
      return [first, say("s", "two")];
    });
    expect(ids).toEqual([1, 2]);
    expect([...db.log.read()].map((event) => event.type)).toEqual([
      "SessionCreated",
      "MessageAppended",
      "MessageAppended",
    ]);
    expect(db.verify().ok).toBe(true);
  });

  test("of a batch that was half written takes the whole transaction with it, whatever the body does", () => {
    const { db, session, say } = ledgerFile();
    session("s");
    const refused: unknown[] = [];
    const run = (): void =>
      db.transaction(() => {
        say("s", "one");
        const attempts = [
          (): unknown =>
            db.log.append([meta("half"), { type: "TitleSet", payload: { session_id: "nobody", title: "x" } }]),
          (): unknown => say("s", "two"),
        ];
        for (const attempt of attempts) {
          try {
            attempt();
          } catch (error) {
            refused.push(error);
          }
        }
      });
    expect(run).toThrow(expect.objectContaining({ kind: "state", code: "TRANSACTION_SPOILED" }));
    expect(refused).toMatchObject([{ code: "SESSION_NOT_FOUND" }, { code: "TRANSACTION_SPOILED" }]);
    expect(db.log.head().position).toBe(1);
    expect(db.messageCount()).toBe(0);
    expect(say("s", "after")).toBe(1);
  });
});

describe("a full disk", () => {
  /** SQLite ends a transaction by itself when it finds no room, so that what came next would be kept alone. */
  test("in the middle leaves nothing, even when the body goes on", () => {
    const file = ledgerFile();
    file.session("s");
    file.db.close();
    const store = new Store({ path: file.path, lockPatience: 0 });
    const log = eventLog(store);
    const pages = store.db.pragma("page_count", { simple: true });
    store.db.pragma(`max_page_count = ${String(pages)}`);
    const outcomes: unknown[] = [];
    const attempt = (draft: EventDraft): void => {
      try {
        outcomes.push(log.append(draft).position);
      } catch (error) {
        outcomes.push(error);
      }
    };
    const run = (): void =>
      store.write(() => {
        attempt(meta("small"));
        attempt({ type: "MetaSet", payload: { key: "large", value: "x".repeat(1_000_000) } });
        attempt(meta("after"));
      });
    expect(run).toThrow(expect.objectContaining({ code: "TRANSACTION_SPOILED" }));
    expect(outcomes).toMatchObject([2, { code: "SQLITE_FULL" }, { code: "TRANSACTION_SPOILED" }]);
    expect(log.head().position).toBe(1);
    expect(() => log.append({ type: "MetaSet", payload: { key: "large", value: "x".repeat(1_000_000) } })).toThrow(
      expect.objectContaining({ kind: "disk_full", code: "DISK_FULL" }),
    );
    store.db.pragma("max_page_count = 1000000");
    expect(log.append({ type: "MetaSet", payload: { key: "large", value: "x".repeat(1_000_000) } }).position).toBe(2);
    store.close();
    expect(rowsOf(file.path, "SELECT key FROM state_meta ORDER BY key")).toEqual([["fts_storage_version"], ["large"]]);
    expect(file.another().verify().ok).toBe(true);
  });
});

describe("a damaged index", () => {
  test("in a transaction is mended, and the whole body runs again", () => {
    const { db, path, session, say, notices } = ledgerFile();
    session("s");
    say("s", "before");
    tamper(path, "DELETE FROM messages_fts_data");
    let runs = 0;
    const ids = db.transaction(() => {
      runs += 1;
      return [say("s", "one"), say("s", "two")];
    });
    expect({ ids, runs }).toEqual({ ids: [2, 3], runs: 2 });
    expect(notices.map(({ code }) => code)).toEqual(["search_index_damaged"]);
    expect(db.log.head().position).toBe(4);
  });

  test("is mended even when the body catches what it raised", () => {
    const { db, path, session, say } = ledgerFile();
    session("s");
    say("s", "before");
    tamper(path, "DELETE FROM messages_fts_data");
    db.transaction(() => {
      try {
        say("s", "one");
      } catch {
        // A careless body.
      }
    });
    expect(db.getMessages("s").map((message) => message.content)).toEqual(["before", "one"]);
    expect(db.verify().ok).toBe(true);
  });
});

describe("who is told", () => {
  test("a listener that throws does not make a stored write look refused", async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on("warning", listen);
    const { db, path } = ledgerFile();
    db.close();
    const again = new Store({
      path,
      onNotice: () => {
        throw new Error("the listener is broken");
      },
    });
    const log = eventLog(again);
    log.append({ type: "SessionCreated", payload: { session_id: "s", fields: { source: "cli" } } });
    tamper(path, "DELETE FROM messages_fts_data");
    const stored = log.append({ type: "MessageAppended", payload: { session_id: "s", message: { role: "user" } } });
    expect(stored.position).toBe(2);
    again.close();
    await setImmediate();
    process.off("warning", listen);
    expect(warnings.map((warning) => warning.message)).toContain("the listener is broken");
  });
});
