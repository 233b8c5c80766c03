import { describe, expect, test } from "vitest";
import { transcriptStore, type TranscriptStore } from "../support/transcript-store.js";

/** Sessions `a` -> `b` -> `c`, each the parent of the next, the first two ended by compression. */
function chain(): TranscriptStore {
  const store = transcriptStore();
  store.session("a");
  store.end("a");
  store.session("b", { parent_session_id: "a" });
  store.end("b");
  store.session("c", { parent_session_id: "b" });
  return store;
}

describe("where a conversation goes on", () => {
  test("among live continuations the one active last, a heartbeat included, then the later start and id", () => {
    const { db, session, end, say, setClock } = transcriptStore();
    session("p");
    end("p");
    session("x", { parent_session_id: "p" });
    session("y", { parent_session_id: "p" });
    expect(db.getCompressionTip("p")).toBe("y");
    setClock(2000);
    say("x", "hello");
    expect(db.getCompressionTip("p")).toBe("x");
    db.touchSessionActivity("y", { ts: 3000 });
    expect(db.getCompressionTip("p")).toBe("y");
  });

  test("a broken configuration elsewhere or here is no marker and no failure", () => {
    const { db, session, end, plant } = transcriptStore();
    session("p");
    end("p");
    session("x", { parent_session_id: "p" });
    session("other");
    plant("UPDATE sessions SET model_config = '{broken' WHERE id IN ('x', 'other')");
    expect(db.getCompressionTip("p")).toBe("x");
    expect(db.resolveResumeSessionId("p")).toBe("x");
    expect(db.findLiveCompressionChild("p")?.id).toBe("x");
    expect(db.getSessionDeleteTargets("p")).toEqual(["p"]);
  });

  test("a marker counts whatever it holds, but not when it is null; bare NaN does not hide it", () => {
    const { db, session, end } = transcriptStore();
    session("p");
    end("p");
    session("null", { parent_session_id: "p", model_config: '{"_delegate_from": null}' });
    session("z-false", { parent_session_id: "p", model_config: '{"_delegate_from": false}' });
    session("z-nan", { parent_session_id: "p", model_config: '{"top_p": NaN, "_branched_from": "p"}' });
    expect(db.getCompressionTip("p")).toBe("null");
  });

  test("cycles of parents end every walk", () => {
    const { db, plant } = chain();
    plant("UPDATE sessions SET parent_session_id = 'c', end_reason = 'compression' WHERE id = 'a'");
    plant("UPDATE sessions SET end_reason = 'compression', ended_at = 5 WHERE id = 'c'");
    expect(db.getCompressionTip("a")).toBe("c");
    expect(db.getConversationRoot("c")).toBe("a");
    expect(db.resolveResumeSessionId("b")).toBe("a");
    expect(db.getCompressionLineage("b")).toHaveLength(3);
    expect(db.setSessionArchived("b", true)).toBe(true);
    expect(["a", "b", "c"].map((id) => db.getSession(id)?.archived)).toEqual([1, 1, 1]);
    expect(db.getSessionDeleteTargets("a")).toEqual(["a"]);
  });

  test("the tip is found at the end of a hundred continuations, not beyond", () => {
    const { db, session, end } = transcriptStore();
    session("n0");
    for (let n = 1; n <= 101; n++) {
      end(`n${n - 1}`);
      session(`n${n}`, { parent_session_id: `n${n - 1}` });
    }
    expect(db.getCompressionTip("n0")).toBe("n100");
    expect(db.getCompressionTip("n1")).toBe("n101");
  });

  test("a session without messages is passed over; a rewound message counts", () => {
    const { db, session, say } = transcriptStore();
    session("a");
    session("b", { parent_session_id: "a" });
    session("c", { parent_session_id: "b" });
    expect(db.resolveResumeSessionId("a")).toBe("a");
    db.rewindToMessage("b", say("b", "hello"));
    expect(db.resolveResumeSessionId("a")).toBe("b");
  });

  test("a continuation is usable after its ancestor is deleted", () => {
    const { db, say } = chain();
    say("c", "new words");
    db.deleteSession("a");
    db.deleteSession("b");
    expect(db.resolveResumeSessionId("c")).toBe("c");
    expect(db.getConversationRoot("c")).toBe("c");
    expect(db.getMessages("c")).toHaveLength(1);
  });
});

describe("flags", () => {
  test("branches and delegates below go along, siblings above do not", () => {
    const { db, session } = chain();
    session("sibling", { parent_session_id: "a" });
    session("branch", { parent_session_id: "b", model_config: '{"_branched_from": "b"}' });
    session("under", { parent_session_id: "branch" });
    db.setSessionArchived("b", true);
    const archived = ["a", "b", "c", "branch", "under", "sibling"].map((id) => db.getSession(id)?.archived);
    expect(archived).toEqual([1, 1, 1, 1, 0, 0]);
  });

  test("only sessions that change have an event", () => {
    const { db, eventTypes } = chain();
    db.setSessionPinned("c", true);
    const before = db.log.head().position;
    expect(db.setSessionPinned("a", true)).toBe(true);
    expect(db.log.head().position).toBe(before);
    db.setSessionPinned("c", false);
    expect(eventTypes(before + 1)).toEqual(["SessionFlagsSet", "SessionFlagsSet", "SessionFlagsSet"]);
  });

  test("stale sessions are archived by their last activity, live ones too, compressed and pinned ones not", () => {
    const { db, session, setClock, say } = chain();
    session("pinned");
    db.setSessionPinned("pinned", true);
    session("beating");
    setClock(1000 + 86_400);
    db.touchSessionActivity("beating");
    say("c", "late");
    expect(db.archiveStaleSessions(1)).toBe(0);
    setClock(1000.5 + 86_400);
    expect(db.archiveStaleSessions(1)).toBe(0);
    expect(db.archiveStaleSessions(1, { exclude_pinned: false })).toBe(1);
    setClock(1001 + 2 * 86_400);
    expect(db.archiveStaleSessions(1)).toBe(2);
    expect(db.getSession("a")?.archived).toBe(1);
    expect(db.archiveStaleSessions(null)).toBe(0);
  });

  test("archiving by filter passes over archived sessions unless told otherwise", () => {
    const { db, session, end } = transcriptStore();
    session("a");
    end("a", "done");
    expect([db.archiveSessions(), db.archiveSessions(), db.archiveSessions({ archived: null })]).toEqual([1, 0, 1]);
  });
});
