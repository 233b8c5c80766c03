import { describe, expect, test } from "vitest";
import { MaintenanceInTransactionError } from "../../src/store/connection/open-errors.js";
import { SessionDB } from "../../src/store/session-db.js";
import { transcriptStore, type TranscriptStore } from "../support/transcript-store.js";

const DAY = 86_400;

/** A session that ended at day 0; the clock stands at day 200. */
function storeWithOldSession(): TranscriptStore {
  const store = transcriptStore();
  store.setClock(0);
  store.session("old");
  store.end("old", "done");
  store.setClock(200 * DAY);
  return store;
}

function setMeta({ db }: TranscriptStore, key: string, value: string): void {
  db.log.append({ type: "MetaSet", payload: { key, value } });
}

function meta({ db }: TranscriptStore, key: string): unknown {
  const events = [...db.log.read({ types: ["MetaSet"] })].flatMap(({ payload }) => (payload === null ? [] : [payload]));
  return events.filter((payload) => "key" in payload && payload.key === key).at(-1);
}

describe("giving space back", () => {
  test("the file shrinks and search still finds", () => {
    const { db, session, say } = transcriptStore();
    session("big");
    session("kept");
    db.transaction(() => {
      for (let n = 0; n < 300; n++) say("big", `${"word ".repeat(200)}${n}`);
      say("kept", "cedar");
    });
    db.deleteSession("big");
    const before = db.logicalSizeBytes()!;
    expect(db.vacuum()).toBe(2);
    expect(db.logicalSizeBytes()!).toBeLessThan(before);
    expect(db.verify()).toMatchObject({ ok: true });
  });

  test("not inside a transaction, and not of a read-only store", () => {
    const { db, path } = transcriptStore();
    expect(() => db.transaction(() => db.vacuum())).toThrow(MaintenanceInTransactionError);
    using reader = SessionDB.open({ path, readOnly: true });
    expect(() => reader.vacuum()).toThrow(expect.objectContaining({ kind: "read_only" }));
  });

  test("an index that is not there is not counted", () => {
    const { db, plant } = transcriptStore();
    plant("DROP TABLE messages_fts_trigram");
    expect(db.vacuum()).toBe(1);
  });
});

describe("automatic pruning", () => {
  test("happens once in its interval, and records even a run that found nothing", () => {
    const store = storeWithOldSession();
    expect(store.db.maybeAutoPruneAndVacuum()).toEqual({ skipped: false, pruned: 1, vacuumed: true });
    expect(meta(store, "last_auto_prune")).toMatchObject({ value: "17280000.0" });
    store.setClock(201 * DAY - 1);
    expect(store.db.maybeAutoPruneAndVacuum()).toEqual({ skipped: true, pruned: 0, vacuumed: false });
    store.setClock(201 * DAY);
    expect(store.db.maybeAutoPruneAndVacuum()).toEqual({ skipped: false, pruned: 0, vacuumed: false });
    expect(meta(store, "last_auto_prune")).toMatchObject({ value: "17366400.0" });
    expect(meta(store, "last_vacuum")).toMatchObject({ value: "17280000.0" });
  });

  test.each([
    ["nan", false],
    ["soon", false],
    ["1e99", true],
  ])("a last run at %j skips: %j", (last, skipped) => {
    const store = storeWithOldSession();
    setMeta(store, "last_auto_prune", last);
    expect(store.db.maybeAutoPruneAndVacuum({ vacuum: false }).skipped).toBe(skipped);
  });

  test("no vacuum before its time, nor when it is not wanted", () => {
    const store = storeWithOldSession();
    setMeta(store, "last_vacuum", String(190 * DAY));
    expect(store.db.maybeAutoPruneAndVacuum()).toMatchObject({ pruned: 1, vacuumed: false });
    const other = storeWithOldSession();
    expect(other.db.maybeAutoPruneAndVacuum({ vacuum: false })).toMatchObject({ pruned: 1, vacuumed: false });
  });

  test("without a retention every ended session goes, and live ones stay", () => {
    const { db, session, end } = storeWithOldSession();
    session("new");
    end("new", "done");
    session("live");
    expect(db.maybeAutoPruneAndVacuum({ retention_days: null }).pruned).toBe(2);
    expect(db.getSession("live")).not.toBeNull();
  });

  test("opening, closing and archiving delete nothing, however old", () => {
    const { db, path } = storeWithOldSession();
    db.maybeAutoArchive();
    SessionDB.open({ path }).close();
    expect(db.getSession("old")).toMatchObject({ archived: 1 });
  });

  test("a failure is told in the result", () => {
    const { path } = storeWithOldSession();
    using reader = SessionDB.open({ path, readOnly: true, clock: () => 200 * DAY });
    expect(reader.maybeAutoPruneAndVacuum()).toMatchObject({ skipped: false, pruned: 0, vacuumed: false });
    expect(reader.maybeAutoPruneAndVacuum().error).toMatch(/readOnly/);
    expect(reader.maybeAutoArchive().error).toMatch(/readOnly/);
  });

  test("a vacuum that is not possible does not undo the run", () => {
    const store = storeWithOldSession();
    expect(store.db.transaction(() => store.db.maybeAutoPruneAndVacuum())).toEqual({
      skipped: false,
      pruned: 1,
      vacuumed: false,
    });
    expect(meta(store, "last_auto_prune")).toBeDefined();
    expect(meta(store, "last_vacuum")).toBeUndefined();
  });
});
