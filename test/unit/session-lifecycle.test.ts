import { describe, expect, test } from "vitest";
import { SessionDB } from "../../src/store/session-db.js";
import { DuplicateConflictError, VersionConflictError } from "../../src/store/log/log-errors.js";
import { ParentNotFoundError } from "../../src/store/rules/rule-errors.js";
import { transcriptStore } from "../support/transcript-store.js";

describe("creating a session", () => {
  test("an unknown parent is refused and nothing is appended", () => {
    const { db, eventTypes } = transcriptStore();
    expect(() => db.createSession({ session_id: "c", source: "cli", parent_session_id: "nope" })).toThrow(
      ParentNotFoundError,
    );
    expect(() => db.createSession({ session_id: "c", source: "cli", parent_session_id: "" })).toThrow(
      ParentNotFoundError,
    );
    expect(eventTypes()).toEqual([]);
  });

  test("text without a UTF-8 form is refused", () => {
    const { db } = transcriptStore();
    expect(() => db.createSession({ session_id: "s", source: "cli", cwd: "/\ud800" })).toThrow(
      expect.objectContaining({ kind: "encoding" }),
    );
    expect(db.getSession("s")).toBeNull();
  });

  test("a second create appends an event only for what it fills", () => {
    const { db } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli", model: "m" });
    db.createSession({ session_id: "s", source: "tui", model: "other", user_id: "u" });
    db.createSession({ session_id: "s", source: "tui", cwd: "/srv", chat_id: "" });
    expect([...db.log.read()].map(({ payload }) => payload)).toEqual([
      { session_id: "s", created: true, cause: "create", fields: { source: "cli", model: "m", started_at: 1000 } },
      { session_id: "s", created: false, cause: "create", fields: { cwd: "/srv", chat_id: "" } },
    ]);
  });

  test("the event carries what the session inherits", () => {
    const { db, end } = transcriptStore();
    db.createSession({ session_id: "p", source: "telegram", cwd: "/srv", chat_id: "9", user_id: "u" });
    end("p");
    db.createSession({ session_id: "c", source: "cli", parent_session_id: "p", chat_id: "" });
    expect(db.getSession("c")).toMatchObject({ source: "cli", cwd: "/srv", chat_id: "", user_id: "u" });
    expect([...db.log.read({ streamId: "c" })][0]!.payload).toMatchObject({ fields: { cwd: "/srv", user_id: "u" } });
  });

  test("only a create that names a parent inherits, and then from the stored one", () => {
    const { db } = transcriptStore();
    db.createSession({ session_id: "p", source: "cli" });
    db.createSession({ session_id: "q", source: "cli", cwd: "/q" });
    db.createSession({ session_id: "c", source: "cli", parent_session_id: "p" });
    db.updateSessionCwd("p", "/p");
    db.createSession({ session_id: "c", source: "cli" });
    expect(db.getSession("c")?.cwd).toBeNull();
    db.createSession({ session_id: "c", source: "cli", parent_session_id: "q" });
    expect(db.getSession("c")).toMatchObject({ parent_session_id: "p", cwd: "/p" });
  });

  test("a session may be its own parent, and its id may be empty", () => {
    const { db } = transcriptStore();
    expect(db.createSession({ session_id: "", source: "cli" })).toBe("");
    db.createSession({ session_id: "s", source: "cli", parent_session_id: "s" });
    expect(db.getSession("s")?.parent_session_id).toBe("s");
    expect(db.getConversationRoot("s")).toBe("s");
  });

  test("the caller's key creates it once", () => {
    const { db, eventTypes } = transcriptStore();
    const session = { session_id: "s", source: "cli", model: "m", eventId: "key-1" };
    db.createSession(session);
    db.endSession("s", "done");
    expect(db.createSession(session)).toBe("s");
    expect(eventTypes()).toEqual(["SessionCreated", "SessionEnded"]);
    expect(() => db.createSession({ ...session, model: "other" })).toThrow(DuplicateConflictError);
    expect(() => db.createSession({ ...session, cwd: "/srv" })).toThrow(DuplicateConflictError);
    expect(() => db.createSession({ ...session, session_id: "t" })).toThrow(DuplicateConflictError);
  });

  test("a repeated key brings no deleted session back", () => {
    const { db } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli", eventId: "key-1" });
    db.deleteSession("s");
    expect(db.createSession({ session_id: "s", source: "cli", eventId: "key-1" })).toBe("s");
    expect(db.getSession("s")).toBeNull();
  });

  test("a repeated key of a create that filled columns is the same create", () => {
    const { db, eventTypes } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli", model: "m" });
    const enriching = { session_id: "s", source: "tui", model: "x", cwd: "/srv", eventId: "key-2" };
    db.createSession(enriching);
    db.createSession(enriching);
    expect(eventTypes()).toHaveLength(2);
    expect(() => db.createSession({ ...enriching, cwd: "/other" })).toThrow(DuplicateConflictError);
  });

  test("the expected version is checked, also when there is nothing to change", () => {
    const { db } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli", expectedVersion: "none" });
    expect(() => db.createSession({ session_id: "s", source: "cli", expectedVersion: "none" })).toThrow(
      VersionConflictError,
    );
    expect(() => db.createSession({ session_id: "s", source: "cli", cwd: "/a", expectedVersion: 0 })).toThrow(
      VersionConflictError,
    );
    db.createSession({ session_id: "s", source: "cli", cwd: "/a", expectedVersion: 1 });
    expect(db.log.streamVersion("s")).toBe(2);
  });

  test("metadata is kept with the event", () => {
    const { db } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli", metadata: { actor: "agent:planner" } });
    expect([...db.log.read()][0]!.metadata).toEqual({ actor: "agent:planner" });
  });
});

describe("the end of a session", () => {
  test("an end without a reason is an end", () => {
    const { db, setClock, eventTypes } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli" });
    db.endSession("s", null);
    setClock(2000);
    db.endSession("s", "done");
    expect(db.promoteToSessionReset("s")).toBe(false);
    expect(db.getSession("s")).toMatchObject({ ended_at: 1000, end_reason: null });
    expect(eventTypes()).toEqual(["SessionCreated", "SessionEnded"]);
  });

  test("reopening a live or an unknown session is no event", () => {
    const { db, eventTypes } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli" });
    db.reopenSession("s");
    db.reopenSession("nope");
    db.endSession("nope", "x");
    expect(eventTypes()).toEqual(["SessionCreated"]);
  });

  test("a promotion that fails is false and a notice", () => {
    const { db, path } = transcriptStore();
    db.createSession({ session_id: "s", source: "cli" });
    const notices: string[] = [];
    using reader = SessionDB.open({ path, readOnly: true, onNotice: ({ code }) => void notices.push(code) });
    expect(reader.promoteToSessionReset("s")).toBe(false);
    expect(notices).toEqual(["promotion_failed"]);
  });

  test("orphans are a week old to the second", () => {
    const { db, end, say, setClock } = transcriptStore();
    db.createSession({ session_id: "p", source: "cli" });
    end("p");
    db.createSession({ session_id: "c", source: "cli", parent_session_id: "p" });
    say("c", "x");
    setClock(1000 + 604_800);
    expect(db.finalizeOrphanedCompressionSessions()).toBe(0);
    setClock(1001 + 604_800);
    expect(db.finalizeOrphanedCompressionSessions()).toBe(1);
  });
});
