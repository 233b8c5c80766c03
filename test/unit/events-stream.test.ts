import { setImmediate } from "node:timers/promises";
import { firstValueFrom, take, toArray } from "rxjs";
import { describe, expect, test, vi } from "vitest";
import type { EventDraft, EventStreamOptions, LogEvent } from "../../src/index.js";
import { ledgerFile, tamper, type LedgerFile } from "../support/ledger-file.js";

const meta = (key: string): EventDraft => ({ type: "MetaSet", payload: { key, value: "v" } });
/** Waits for what another turn of the event loop brings about; the limit only keeps a failure from hanging. */
const eventually = async (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });
const turn = async (): Promise<void> => setImmediate();

/** A store with `count` settings in its log. */
function filled(count: number): LedgerFile {
  const file = ledgerFile();
  if (count > 0) file.db.log.append(Array.from({ length: count }, (_, i) => meta(`k${i}`)));
  return file;
}

interface Follower {
  readonly positions: number[];
  readonly caughtUp: number[];
  readonly errors: unknown[];
  readonly completed: () => boolean;
  readonly stop: () => void;
}

function follow(
  { db }: Pick<LedgerFile, "db">,
  options: EventStreamOptions = {},
  each?: (event: LogEvent) => void,
): Follower {
  const stream = db.events$(options);
  const positions: number[] = [];
  const caughtUp: number[] = [];
  const errors: unknown[] = [];
  let completed = false;
  stream.caughtUp$.subscribe((position) => caughtUp.push(position));
  const subscription = stream.subscribe({
    next: (event) => {
      positions.push(event.position);
      each?.(event);
    },
    error: (error) => errors.push(error),
    complete: () => (completed = true),
  });
  return { positions, caughtUp, errors, completed: () => completed, stop: () => subscription.unsubscribe() };
}

describe("what cannot be meant", () => {
  test.each([NaN, -1, 1.5, Infinity])("beginning at %s is refused at the call", (from) => {
    const { db } = filled(1);
    expect(() => db.events$({ from })).toThrow(expect.objectContaining({ kind: "validation", code: "INVALID_READ" }));
  });

  test("a closed store has no events", () => {
    const { db } = filled(1);
    db.close();
    expect(() => db.events$()).toThrow(expect.objectContaining({ code: "STORE_CLOSED" }));
  });
});

describe("history, then live", () => {
  test("each position once, and told when it has caught up", async () => {
    const file = filled(3);
    const follower = follow(file);
    // Nothing comes before subscribe() has returned.
    expect(follower.positions).toEqual([]);
    await turn();
    expect(follower).toMatchObject({ positions: [1, 2, 3], caughtUp: [3] });
    file.db.log.append(meta("live"));
    file.db.log.append([meta("a"), meta("b")]);
    expect(follower).toMatchObject({ positions: [1, 2, 3, 4, 5, 6], caughtUp: [3, 4, 6] });
    follower.stop();
    file.db.log.append(meta("unseen"));
    expect(follower.positions).toHaveLength(6);
  });

  test("what is appended between subscribing and the first delivery comes once", async () => {
    const file = filled(2);
    const follower = follow(file);
    file.db.log.append(meta("early"));
    expect(follower.positions).toEqual([1, 2, 3]);
    await turn();
    expect(follower.positions).toEqual([1, 2, 3]);
    follower.stop();
  });

  test("more than a batch of history, with appends in the middle of it", async () => {
    const file = filled(600);
    const follower = follow(file, {}, ({ position }) => {
      if (position === 200 || position === 400) file.db.log.append(meta(`from inside ${position}`));
    });
    await turn();
    expect(follower.positions).toEqual(Array.from({ length: 602 }, (_, i) => i + 1));
    expect(follower.caughtUp).toEqual([602]);
    follower.stop();
  });

  test.each<[EventStreamOptions, number[]]>([
    [{ from: "start" }, [1, 2, 3, 4, 5, 6]],
    [{ from: "now" }, [5, 6]],
    [{ from: 3 }, [3, 4, 5, 6]],
    [{ from: 0 }, [1, 2, 3, 4, 5, 6]],
    [{ from: 6 }, [6]],
    [{ from: 100 }, []],
    [{ streamId: "s" }, [2, 4, 6]],
    [{ streamId: "s", from: "now" }, [6]],
    [{ types: ["MetaSet"] }, [1, 3, 5]],
    [{ types: ["MessageAppended"], streamId: "s" }, [4, 6]],
    [{ types: [] }, []],
  ])("with %o", async (options, positions) => {
    const file = ledgerFile();
    file.db.log.append(meta("a"));
    file.session("s");
    file.db.log.append(meta("b"));
    file.say("s", "one");
    const follower = follow(file, options);
    await turn();
    file.db.log.append(meta("c"));
    file.say("s", "two");
    expect(follower.positions).toEqual(positions);
    if (options.from !== 100) expect(follower.caughtUp.at(-1)).toBe(6);
    follower.stop();
  });

  test("a checkpoint and one is where the next subscription goes on", async () => {
    const file = filled(5);
    const first = await firstValueFrom(file.db.events$().pipe(take(3), toArray()));
    const rest = await firstValueFrom(
      file.db.events$({ from: (first.at(-1)?.position ?? 0) + 1 }).pipe(take(2), toArray()),
    );
    expect([...first, ...rest].map((event) => event.position)).toEqual([1, 2, 3, 4, 5]);
  });

  test("an erased event comes as such", async () => {
    const file = ledgerFile();
    file.session("s");
    file.db.deleteSession("s");
    const events = await firstValueFrom(file.db.events$().pipe(take(2), toArray()));
    expect(events).toMatchObject([
      { position: 1, erased: true, payload: null },
      { position: 2, type: "SessionsDeleted", erased: false },
    ]);
  });
});

describe("leaving and failing", () => {
  test("unsubscribing in the middle of a batch", async () => {
    const file = filled(10);
    const follower: Follower = follow(file, {}, ({ position }) => {
      if (position === 4) follower.stop();
    });
    await turn();
    file.db.log.append(meta("more"));
    await turn();
    expect(follower).toMatchObject({ positions: [1, 2, 3, 4], caughtUp: [] });
  });

  test("unsubscribing before the first event", async () => {
    const file = filled(2);
    const follower = follow(file);
    follower.stop();
    await turn();
    file.db.log.append(meta("more"));
    expect(follower.positions).toEqual([]);
  });

  test("closing the store completes it, also from inside", async () => {
    const file = filled(5);
    const outside = follow(file);
    const inside = follow(file, {}, ({ position }) => {
      if (position === 3) file.db.close();
    });
    await turn();
    await turn();
    expect([outside.completed(), inside.completed()]).toEqual([true, true]);
    expect(inside.positions).toEqual([1, 2, 3]);
    expect(outside.errors).toEqual([]);
    expect(inside.errors).toEqual([]);
  });

  test("an event that cannot be read ends it with the error", async () => {
    const file = filled(3);
    tamper(file.path, "UPDATE ledger_events SET payload = '{' WHERE position = 2");
    const follower = follow(file);
    await turn();
    expect(follower.positions).toEqual([1]);
    expect(follower.errors).toMatchObject([{ code: "INVALID_EVENT" }]);
    expect(file.db.log.append(meta("goes on")).position).toBe(4);
  });

  test("a table that is gone ends it with an error of the store", async () => {
    const file = filled(1);
    const follower = follow(file, { from: "now" });
    await turn();
    tamper(file.path, "DROP TABLE ledger_events");
    await eventually(() => expect(follower.errors).toMatchObject([{ kind: "engine" }]));
  });

  test("nothing of a transaction that was rolled back is seen", async () => {
    const file = filled(1);
    const follower = follow(file);
    await turn();
    const run = (): void =>
      file.db.transaction(() => {
        file.db.log.append(meta("never"));
        throw new Error("no");
      });
    expect(run).toThrow("no");
    file.db.log.append(meta("instead"));
    expect(follower.positions).toEqual([1, 2]);
    follower.stop();
  });
});

describe("several at once", () => {
  test("two subscribers see the same order, also when one appends", async () => {
    const file = filled(2);
    const first = follow(file, {}, ({ position }) => {
      if (position === 2 || position === 5) file.db.log.append(meta(`after ${position}`));
    });
    const second = follow(file);
    const late = follow(file, { from: "now" });
    await turn();
    file.db.log.append([meta("a"), meta("b")]);
    file.db.log.append(meta("c"));
    const all = [1, 2, 3, 4, 5, 6, 7];
    expect([first.positions, second.positions, late.positions]).toEqual([all, all, all.slice(2)]);
    for (const follower of [first, second, late]) follower.stop();
  });

  test("one observable can be subscribed to again, and begins again", async () => {
    const { db } = filled(3);
    const stream = db.events$();
    const runs = await Promise.all([1, 2].map(async () => firstValueFrom(stream.pipe(take(3), toArray()))));
    expect(runs.map((run) => run.map((event) => event.position))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test("one that throws does not keep the others from their events, nor the write from its result", async () => {
    const file = filled(0);
    const uncaught: unknown[] = [];
    const catcher = (error: unknown): void => void uncaught.push(error);
    const before = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", catcher);
    try {
      const bad = follow(file, {}, () => {
        throw new Error("a broken subscriber");
      });
      const good = follow(file);
      await turn();
      expect(file.db.log.append(meta("a")).position).toBe(1);
      expect(file.db.log.append(meta("b")).position).toBe(2);
      expect(good.positions).toEqual([1, 2]);
      await eventually(() => expect(uncaught.length).toBeGreaterThan(0));
      expect(uncaught[0]).toMatchObject({ message: "a broken subscriber" });
      bad.stop();
      good.stop();
    } finally {
      process.off("uncaughtException", catcher);
      for (const listener of before) process.on("uncaughtException", listener);
    }
  });
});

describe("commits of others", () => {
  test("are seen by looking, in order and once", async () => {
    const file = filled(1);
    const other = file.another();
    const follower = follow(file, { pollInterval: 2 });
    await turn();
    other.log.append(meta("theirs"));
    file.db.log.append(meta("ours"));
    other.log.append([meta("theirs 2"), meta("theirs 3")]);
    await eventually(() => expect(follower.positions).toHaveLength(5));
    expect(follower.positions).toEqual([1, 2, 3, 4, 5]);
    follower.stop();
  });

  test("a store that is only read follows, too", async () => {
    const file = filled(2);
    const reader = file.another({ readOnly: true });
    const follower = follow({ db: reader }, { pollInterval: 2 });
    await turn();
    file.db.log.append(meta("live"));
    await eventually(() => expect(follower.positions).toEqual([1, 2, 3]));
    reader.close();
    expect(follower.completed()).toBe(true);
  });
});
