import { describe, expect, test } from "vitest";
import { ActivityTimeError } from "../../src/store/commands/session-activity.js";
import { transcriptStore, type TranscriptStore } from "../support/transcript-store.js";

function storeWithSession(): TranscriptStore {
  const store = transcriptStore();
  store.session("s");
  return store;
}

describe("updates", () => {
  test("what a column holds already, and an unknown session, are no event", () => {
    const { db, eventTypes } = storeWithSession();
    for (let time = 0; time < 2; time++) {
      db.updateSystemPrompt("s", "P");
      db.updateSessionMeta("s", "{}", { model: "m" });
      db.updateSessionCwd("s", "/srv", { git_branch: "main" });
    }
    db.updateSystemPrompt("nope", "P");
    db.updateSessionModel("nope", "m");
    db.updateSessionBillingRoute("nope", "p", null);
    expect(eventTypes()).toEqual(["SessionCreated", "SessionUpdated", "SessionUpdated", "SessionUpdated"]);
  });

  test("a model switch leaves a configuration that is no JSON alone, and null null", () => {
    const { db } = storeWithSession();
    db.updateSessionModel("s", "m");
    expect(db.getSession("s")).toMatchObject({ model: "m", model_config: null });
    db.updateSessionMeta("s", "{broken");
    db.updateSessionModel("s", "m2");
    expect(db.getSession("s")).toMatchObject({ model: "m2", model_config: "{broken" });
  });

  test("a model switch keeps the spelling of numbers", () => {
    const { db } = storeWithSession();
    db.updateSessionMeta("s", '{"a": 1.0, "b": 12345678901234567890, "browser_model_lock": {}}');
    db.updateSessionModel("s", "m");
    expect(db.getSession("s")?.model_config).toBe('{"a":1.0,"b":12345678901234567890}');
  });

  test("the runtime lock keeps the rest of the configuration as it is", () => {
    const { db } = storeWithSession();
    db.updateSessionMeta("s", '{"z": 1.0, "7": 2, "browser_model_lock": 1, "big": 12345678901234567890}');
    db.updateSessionRuntimeLock("s", { provider: "p", confirmed: true, model: "" });
    const lock =
      '{"provider": "p", "model": "", "model_options": {}, "route_source": "", "confirmed": true, "updated_at": 1000.0}';
    expect(db.getSession("s")).toMatchObject({
      model: "",
      model_config: `{"z": 1.0, "7": 2, "browser_model_lock": ${lock}, "big": 12345678901234567890}`,
    });
  });

  test.each(["{broken", "[1]", '"text"', ""])("the runtime lock starts anew from %j", (config) => {
    const { db } = storeWithSession();
    db.updateSessionMeta("s", config);
    db.updateSessionRuntimeLock("s");
    expect(db.getSession("s")?.model_config).toMatch(/^\{"browser_model_lock": \{"provider": "", .*\}\}$/);
  });

  test("a runtime lock that cannot be written as JSON changes nothing", () => {
    const { db, eventTypes } = storeWithSession();
    const model_options = { loop: {} };
    model_options.loop = model_options;
    expect(() => db.updateSessionRuntimeLock("s", { model_options })).toThrow(
      expect.objectContaining({ kind: "type" }),
    );
    expect(eventTypes()).toEqual(["SessionCreated"]);
  });

  test("kanban workspaces have no wildcards", () => {
    const { db, session } = transcriptStore();
    session("in", { cwd: "/srv/k_b/x" });
    session("out", { cwd: "/srv/kxb/x" });
    expect(db.retagKanbanWorkerSessions("/srv/k_b\\/")).toBe(1);
    expect([db.getSession("in")?.source, db.getSession("out")?.source]).toEqual(["kanban", "cli"]);
  });

  test("repository roots go to exactly their directory", () => {
    const { db, session } = transcriptStore();
    session("a", { cwd: "/srv/a" });
    session("below", { cwd: "/srv/a/b" });
    session("blank", { cwd: "/srv/a", git_repo_root: "" });
    db.backfillRepoRoots({ "/srv/a": "/root", "": "/none", "/srv/a/b": null });
    expect(["a", "below", "blank"].map((id) => db.getSession(id)?.git_repo_root)).toEqual(["/root", null, "/root"]);
  });
});

describe("activity", () => {
  test.each(["soon", "", "0x10"])("%j is no time", (ts) => {
    const { db, eventTypes } = storeWithSession();
    expect(() => db.touchSessionActivity("s", { ts })).toThrow(ActivityTimeError);
    expect(eventTypes()).toEqual(["SessionCreated"]);
  });

  test.each([
    [" 1_000.5 ", 1000.5],
    ["-3e1", -30],
    [0, 0],
    ["inf", Infinity],
  ])("%j is a time", (ts, at) => {
    const { db } = storeWithSession();
    db.touchSessionActivity("s", { ts });
    expect(db.getSessionActivity("s")?.last_activity_at).toBe(at);
  });

  test("an activity at no time is recorded only where there was none", () => {
    const { db } = storeWithSession();
    db.touchSessionActivity("s", { ts: "nan", description: "first" });
    expect(db.getSessionActivity("s")).toMatchObject({ last_activity_at: null, description: "first" });
    db.touchSessionActivity("s", { ts: 5 });
    db.touchSessionActivity("s", { ts: NaN, description: "late" });
    expect(db.getSessionActivity("s")).toMatchObject({ last_activity_at: 5, description: "" });
  });

  test("descriptions are cut by characters, provenances are exact", () => {
    const { db } = storeWithSession();
    db.touchSessionActivity("s", { description: "😀".repeat(121), provenance: " agent.compression " });
    const activity = db.getSessionActivity("s");
    expect(activity?.description).toBe(`${"😀".repeat(119)}…`);
    expect(activity?.provenance).toBe("agent.compression");
    db.touchSessionActivity("s", { ts: 2000, description: "x".repeat(120), provenance: "Agent.Compression" });
    expect(db.getSessionActivity("s")).toMatchObject({ description: "x".repeat(120), provenance: "unknown" });
  });

  test("clearing what is clear is no event", () => {
    const { db, eventTypes } = storeWithSession();
    db.clearSessionActivityLabels("s");
    db.touchSessionActivity("s", { description: "x" });
    db.clearSessionActivityLabels("s");
    db.clearSessionActivityLabels("s");
    db.touchSessionActivity("", { ts: 1 });
    expect(eventTypes()).toEqual(["SessionCreated", "ActivityRecorded", "ActivityRecorded"]);
  });
});

describe("finding a session by what a person says", () => {
  const ids = ["20260302_090000_a1b2", "20260302_090000_a1c3", "20260303_101010_ffff"];
  function threeSessions(): TranscriptStore {
    const store = transcriptStore();
    for (const id of ids) store.session(id);
    return store;
  }

  test("a prefix that fits two picks none and names both", () => {
    const { db } = threeSessions();
    expect(db.resolveSessionReference("20260302_090000_a1")).toEqual({
      outcome: "ambiguous",
      candidates: [ids[0], ids[1]],
    });
    expect(db.resolveSessionId("20260302_090000_a1")).toBeNull();
  });

  test.each(["2026%", "20260303_10101__ffff", "", "zzz"])("%j names none", (reference) => {
    expect(threeSessions().db.resolveSessionReference(reference)).toEqual({ outcome: "not-found" });
  });

  test("an id, a prefix of one, and a title name it", () => {
    const { db } = threeSessions();
    db.setSessionTitle(ids[0]!, "clock repair");
    db.setSessionTitle(ids[1]!, "2026");
    for (const [reference, id] of [
      [ids[0], ids[0]],
      ["20260303", ids[2]],
      ["clock repair", ids[0]],
      ["2026", ids[1]],
    ] as const) {
      expect(db.resolveSessionReference(reference!)).toEqual({ outcome: "ok", session_id: id });
    }
  });

  test("an id that is the beginning of another is that session", () => {
    const { db, session } = transcriptStore();
    session("ab");
    session("abc");
    expect(db.resolveSessionId("ab")).toBe("ab");
    expect(db.resolveSessionId("ABC")).toBe("abc");
    expect(db.resolveSessionId("")).toBeNull();
  });
});
