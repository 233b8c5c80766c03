import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { GhostWithChildError } from "../../src/store/commands/delete-empty-sessions.js";
import { FilterValueError, UnknownFilterError, type PruneFilters } from "../../src/store/queries/prune-filters.js";
import { transcriptStore, type TranscriptStore } from "../support/transcript-store.js";

const DAY = 86_400;

function directoryWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "hermes-ledger-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const directory = join(folder, "transcripts");
  for (const name of ["x", ...names]) mkdirSync(dirname(join(directory, name)), { recursive: true });
  for (const name of names) writeFileSync(join(directory, name), "");
  return directory;
}

describe("deleting sessions", () => {
  test("the events of a deleted session are erased, those of others stay, and the chain holds", () => {
    const { db, session, say } = transcriptStore();
    session("gone", { system_prompt: "quokka" });
    session("child", { parent_session_id: "gone" });
    say("gone", "lantern");
    say("child", "stays");
    db.deleteSession("gone");
    const events = [...db.log.read()];
    expect(events.filter(({ stream_id }) => stream_id === "gone").map(({ erased }) => erased)).toEqual([true, true]);
    expect(events.filter(({ stream_id }) => stream_id === "child").map(({ erased }) => erased)).toEqual([false, false]);
    expect(events.at(-1)).toMatchObject({
      type: "SessionsDeleted",
      payload: { session_ids: ["gone"], detached_ids: ["child"], cause: "delete", through_id: 2 },
    });
    expect(db.getSession("child")?.parent_session_id).toBeNull();
    expect(db.verify()).toMatchObject({ ok: true });
  });

  test("an id that was deleted can be used again, its message ids cannot", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    say("s", "one");
    db.deleteSession("s");
    session("s");
    expect(say("s", "two")).toBe(2);
    db.deleteSession("s");
    expect(db.verify()).toMatchObject({ ok: true });
  });

  test("delegates are those whose marker or whose parent says so, whatever way they are linked", () => {
    const { db, session } = transcriptStore();
    session("p");
    session("marked", { model_config: '{"_delegate_from": "p"}' });
    session("child", { parent_session_id: "marked", model_config: '{"_delegate_from": "someone else"}' });
    session("plain", { parent_session_id: "p" });
    session("number", { model_config: '{"_delegate_from": 7}' });
    session("7");
    expect(db.getSessionDeleteTargets("p")).toEqual(["p", "child", "marked"]);
    expect(db.getSessionDeleteTargets("7")).toEqual(["7"]);
  });

  test("delegates of each other are both found, and a listed session is no delegate", () => {
    const { db, session } = transcriptStore();
    session("a", { model_config: '{"_delegate_from": "b"}' });
    session("b", { model_config: '{"_delegate_from": "a"}' });
    expect(db.getSessionDeleteTargets("a")).toEqual(["a", "b"]);
    expect(db.deleteSessions(["b", "a"])).toBe(2);
    expect(db.messageCount()).toBe(0);
  });

  test.each([[["p", "dg", "x"]], [["p"]], [[]], [["dg", "x"]]])(
    "not exactly the expected %j deletes nothing",
    (ids) => {
      const { db, session, eventTypes } = transcriptStore();
      session("p");
      session("dg", { parent_session_id: "p", model_config: '{"_delegate_from": "p"}' });
      expect(db.deleteSession("p", { expected_delete_ids: ids })).toBe(false);
      expect(eventTypes()).toEqual(["SessionCreated", "SessionCreated"]);
    },
  );

  test("thousands go in one event", () => {
    const { db, session, say, eventTypes } = transcriptStore();
    const ids = Array.from({ length: 3000 }, (_, index) => `s${index}`);
    db.transaction(() => {
      ids.forEach((id, index) => {
        session(id, index === 0 ? {} : { parent_session_id: ids[index - 1] });
        say(id, "words");
      });
      session("kept", { parent_session_id: ids.at(-1) });
    });
    const before = db.log.head().position;
    expect(db.deleteSessions(ids)).toBe(3000);
    expect(eventTypes(before + 1)).toEqual(["SessionsDeleted"]);
    expect([...db.log.read()].filter(({ erased }) => !erased)).toHaveLength(2);
    expect(db.getSession("kept")?.parent_session_id).toBeNull();
    expect(db.messageCount()).toBe(0);
  });

  test("a deletion inside a transaction that fails leaves rows and files", () => {
    const { db, session } = transcriptStore();
    const sessions_dir = directoryWith("s.json");
    session("s");
    expect(() =>
      db.transaction(() => {
        db.deleteSession("s", { sessions_dir });
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(db.getSession("s")).not.toBeNull();
    expect(readdirSync(sessions_dir)).toContain("s.json");
  });
});

describe("transcript files", () => {
  test("a dump of a session with a longer id stays, also after that session is gone", () => {
    const { db, session } = transcriptStore();
    const sessions_dir = directoryWith("request_dump_a_1.json", "request_dump_a_b_1.json", "request_dump_ab_1.json");
    session("a");
    session("a_b");
    db.deleteSession("a", { sessions_dir });
    expect(readdirSync(sessions_dir)).toEqual(["request_dump_a_b_1.json", "request_dump_ab_1.json"]);
    db.deleteSession("a_b", { sessions_dir });
    expect(readdirSync(sessions_dir)).toEqual(["request_dump_ab_1.json"]);
  });

  test("wildcards and paths in an id reach no other file", () => {
    const { db, session } = transcriptStore();
    const sessions_dir = directoryWith("victim.json", "request_dump_victim_1.json", "../outside.json", "sub/in.json");
    const ids = ["*", "?ictim", "[v]ictim", "../outside", "sub/in", ""];
    for (const id of ids) session(id);
    for (const id of ids) db.deleteSession(id, { sessions_dir });
    expect(readdirSync(sessions_dir)).toEqual(["request_dump_victim_1.json", "sub", "victim.json"]);
    expect(readdirSync(dirname(sessions_dir))).toContain("outside.json");
    expect(readdirSync(join(sessions_dir, "sub"))).toEqual(["in.json"]);
  });

  test("a directory that is not there does not stop a deletion", () => {
    const { db, session } = transcriptStore();
    session("s");
    expect(db.deleteSession("s", { sessions_dir: "/nowhere/at/all" })).toBe(true);
  });
});

describe("sweeps", () => {
  test("an inactive message protects from delete_session_if_empty, usage does not", () => {
    const { db, session, say } = transcriptStore();
    session("rewound");
    db.rewindToMessage("rewound", say("rewound", "x"));
    session("used");
    db.log.append({ type: "UsageRecorded", payload: { session_id: "used", counters: { input_tokens: 1 } } });
    expect(db.deleteSessionIfEmpty("rewound")).toBe(false);
    expect(db.deleteSessionIfEmpty("used")).toBe(true);
  });

  test("one ghost with a child stops the sweep; ghosts that are each other's do not", () => {
    const { db, session, end, setClock } = transcriptStore();
    session("g1", { source: "tui" });
    session("g2", { source: "tui", parent_session_id: "g1" });
    end("g1", "x");
    end("g2", "x");
    session("kid", { parent_session_id: "g2" });
    setClock(1001 + DAY);
    expect(() => db.pruneEmptyGhostSessions()).toThrow(GhostWithChildError);
    expect(db.getSession("g1")).not.toBeNull();
    db.deleteSession("kid");
    expect(db.pruneEmptyGhostSessions()).toBe(2);
    expect(db.pruneEmptyGhostSessions()).toBe(0);
  });

  test("a sweep that finds nothing is no event", () => {
    const { db, eventTypes } = transcriptStore();
    expect([db.deleteEmptySessions(), db.pruneSessions(), db.deleteSessions([])]).toEqual([0, 0, 0]);
    expect(eventTypes()).toEqual([]);
  });
});

describe("pruning", () => {
  /** Ended sessions `old` (day 0) and `young` (day 100), and `open`; the clock stands at day 120. */
  function aged(): TranscriptStore {
    const store = transcriptStore();
    store.setClock(0);
    for (const id of ["old", "open"]) store.session(id, { title: `100% ${id}_plan`, cwd: `/srv/${id}_x` });
    store.end("old", "done");
    store.setClock(100 * DAY);
    store.session("young", { parent_session_id: "old", title: "100 young" });
    store.say("young", "cedar");
    store.end("young", "done");
    store.setClock(120 * DAY);
    return store;
  }
  const matching = ({ db }: TranscriptStore, filters: PruneFilters): string[] =>
    db.listPruneCandidates(filters).map(({ id }) => id);

  test("the preview names what goes, changes nothing, and the open session is told", () => {
    const { db } = aged();
    const before = db.log.head().position;
    expect(db.listPruneCandidates({ older_than_days: 30 }).map(({ id }) => id)).toEqual(["old"]);
    expect(db.countOpenPruneMatches({ older_than_days: 30 })).toBe(1);
    expect(db.log.head().position).toBe(before);
    expect(db.pruneSessions({ older_than_days: 30 })).toBe(1);
    expect(db.getSession("young")?.parent_session_id).toBeNull();
    expect(db.getMessages("young")).toHaveLength(1);
    expect(db.getSession("open")).not.toBeNull();
  });

  test("a delegate of a pruned session stays", () => {
    const { db, session } = aged();
    session("dg", { parent_session_id: "old", model_config: '{"_delegate_from": "old"}' });
    expect(db.pruneSessions()).toBe(1);
    expect(db.getSession("dg")).toMatchObject({ parent_session_id: null, model_config: '{"_delegate_from": "old"}' });
  });

  test.each<[PruneFilters, string[]]>([
    [{ title_like: "%" }, ["old"]],
    [{ title_like: "_" }, ["old"]],
    [{ title_like: "0% OLD" }, ["old"]],
    [{ title_like: "100%young" }, []],
    [{ cwd_prefix: "/srv/old_x//" }, ["old"]],
    [{ cwd_prefix: "/srv/o%" }, []],
    [{ cwd_prefix: "/srv/old__" }, []],
    [{ cwd_prefix: "/srv" }, ["old"]],
    [{ cwd_prefix: "/" }, []],
    [{ title_like: "", source: "" }, ["old", "young"]],
    [{ max_messages: 0 }, ["old"]],
    [{ older_than_days: 30, started_before: 200 * DAY }, ["old", "young"]],
    [{ older_than_days: 30, last_active_before: 200 * DAY }, ["old", "young"]],
    [{ older_than_days: 20 }, ["old"]],
    [{ older_than_days: null, min_messages: null }, ["old", "young"]],
  ])("%j lets %j pass", (filters, ids) => {
    expect(matching(aged(), filters)).toEqual(ids);
  });

  test.each([
    [{ bogus: 1 }, UnknownFilterError],
    [{ bogus: undefined }, UnknownFilterError],
    [{ older_than_days: NaN }, FilterValueError],
    [{ older_than_days: "30" }, FilterValueError],
    [{ last_active_before: NaN }, FilterValueError],
    [{ source: 1 }, FilterValueError],
    [{ archived: 1 }, FilterValueError],
  ])("%j is refused, and nothing is deleted", (filters, refusal) => {
    const { db } = aged();
    const before = db.log.head().position;
    expect(() => db.pruneSessions(filters as PruneFilters)).toThrow(refusal);
    expect(db.log.head().position).toBe(before);
  });
});
