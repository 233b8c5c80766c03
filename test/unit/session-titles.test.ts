import { describe, expect, test } from "vitest";
import { TitleInUseError } from "../../src/store/rules/rule-errors.js";
import { TitleTooLongError } from "../../src/store/values/title.js";
import { transcriptStore, type TranscriptStore } from "../support/transcript-store.js";

function storeWith(...ids: string[]): TranscriptStore {
  const store = transcriptStore();
  for (const id of ids) store.session(id);
  return store;
}

describe("setting a title", () => {
  test("a refusal names the other session, its source and whether it is archived", () => {
    const { db } = storeWith("a", "b");
    db.setSessionTitle("a", "plan");
    db.setSessionArchived("a", true);
    let refusal: unknown;
    try {
      db.setSessionTitle("b", "plan");
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(TitleInUseError);
    expect(refusal).toMatchObject({ session: { id: "a", source: "cli", archived: true } });
    expect(db.getSessionTitle("b")).toBeNull();
  });

  test("a conflict is told even for an unknown session, length before it", () => {
    const { db } = storeWith("a");
    db.setSessionTitle("a", "plan");
    expect(() => db.setSessionTitle("nope", "plan")).toThrow("Title 'plan' is already in use by session a");
    expect(() => db.setSessionTitle("nope", "x".repeat(101))).toThrow(TitleTooLongError);
    expect(db.setAutoTitleIfEmpty("nope", "plan")).toBe(false);
  });

  test("a transfer is two events: the ancestor loses the title, then the session has it", () => {
    const { db, end } = storeWith("root");
    db.setSessionTitle("root", "plan");
    end("root");
    db.createSession({ session_id: "tip", source: "cli", parent_session_id: "root" });
    const before = db.log.head().position;
    expect(db.setSessionTitle("tip", "plan")).toBe(true);
    expect([...db.log.read({ from: before + 1 })].map(({ type, payload }) => [type, payload])).toEqual([
      ["TitleSet", { session_id: "root", title: null, released_from: null }],
      ["TitleSet", { session_id: "tip", title: "plan", released_from: "root" }],
    ]);
  });

  test("a branch of a compressed session may take its title too", () => {
    const { db, end } = storeWith("root");
    db.setSessionTitle("root", "plan");
    end("root");
    db.createSession({
      session_id: "branch",
      source: "cli",
      parent_session_id: "root",
      model_config: { _branched_from: "root" },
    });
    expect(db.setAutoTitleIfEmpty("branch", "plan")).toBe(true);
    expect(db.getSessionTitle("root")).toBeNull();
  });

  test("a cycle of parents ends the search for the ancestor", () => {
    const { db, plant } = storeWith("a", "b", "c");
    db.setSessionTitle("c", "plan");
    plant("UPDATE sessions SET end_reason = 'compression', ended_at = 1 WHERE id IN ('a', 'b')");
    plant("UPDATE sessions SET parent_session_id = 'b' WHERE id = 'a'");
    plant("UPDATE sessions SET parent_session_id = 'a' WHERE id = 'b'");
    expect(() => db.setSessionTitle("a", "plan")).toThrow(TitleInUseError);
  });

  test("the title it has already, and clearing what is clear, are no event", () => {
    const { db, eventTypes } = storeWith("a");
    db.setSessionTitle("a", null);
    db.setSessionTitle("a", "plan");
    db.setSessionTitle("a", " plan ");
    expect(eventTypes()).toEqual(["SessionCreated", "TitleSet"]);
  });
});

describe("titles that no person chose", () => {
  test("the second gets the next free number, and so on", () => {
    const { db } = storeWith("a", "b", "c", "d");
    expect(["a", "b", "c"].map((id) => db.setAutoTitle(id, "garden plan"))).toEqual([
      "garden plan",
      "garden plan #2",
      "garden plan #3",
    ]);
    expect(db.setAutoTitle("d", "garden plan #2")).toBe("garden plan #4");
  });

  test("a title or nothing to give leaves the session as it is", () => {
    const { db } = storeWith("a");
    expect(db.setAutoTitle("a", "  ")).toBeNull();
    expect(db.setAutoTitle("nope", "plan")).toBeNull();
    db.setSessionTitle("a", "mine");
    expect(db.setAutoTitle("a", "plan")).toBeNull();
    expect(db.getSessionTitle("a")).toBe("mine");
  });

  test("a continuation takes over the title", () => {
    const { db, end } = storeWith("root");
    db.setSessionTitle("root", "plan");
    end("root");
    db.createSession({ session_id: "tip", source: "cli", parent_session_id: "root" });
    expect(db.setAutoTitle("tip", "plan")).toBe("plan");
  });

  test("a number that does not fit takes the place of the last characters", () => {
    const { db } = storeWith("a", "b", "c");
    const long = "x".repeat(100);
    const titles = ["a", "b", "c"].map((id) => db.setAutoTitle(id, long));
    expect(new Set(titles).size).toBe(3);
    for (const title of titles) expect(title!.length).toBeLessThanOrEqual(100);
  });
});

describe("numbered titles", () => {
  test.each([
    [["work"], "work", "work #2"],
    [["WORK #7"], "work", "work #8"],
    [["work #text"], "work", "work #2"],
    [["a #2 #9"], "a", "a #10"],
    [["a #2"], "a #2 #9", "a #2 #3"],
    [["n #٤"], "n", "n #5"],
    [["n #99999999999999999999"], "n", "n #100000000000000000000"],
    [["x_y #3"], "x_y", "x_y #4"],
    [["xzy #3"], "x_y", "x_y"],
    [[], "work #2\n", "work"],
  ])("beside %j the next of %j is %j", (taken, base, next) => {
    const { db, session } = transcriptStore();
    taken.forEach((title, index) => {
      session(String(index));
      db.setSessionTitle(String(index), title);
    });
    expect(db.getNextTitleInLineage(base)).toBe(next);
  });

  test("a title is found by exactly its text, a numbered one by its base", () => {
    const { db } = storeWith("a", "b");
    db.setSessionTitle("a", "work");
    db.setSessionTitle("b", "WORK #x");
    expect(db.resolveSessionByTitle("work")).toBe("b");
    expect(db.getSessionByTitle("Work")).toBeNull();
    expect(db.resolveSessionByTitle("w%")).toBeNull();
  });
});
