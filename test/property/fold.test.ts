import Database from "better-sqlite3";
import fc from "fast-check";
import { enablePatches, applyPatches, enableMapSet } from "immer";
import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../src/events/index.js";
import {
  emptyState,
  fold,
  foldEvent,
  foldSession,
  foldTableNames,
  foldWithPatches,
  tableRows,
  type LedgerState,
} from "../../src/projections/fold/index.js";
import { compareValues, grown, stored, type Affinity } from "../../src/projections/fold/values.js";
import { exactNumbers, type SqlRow, type SqlValue } from "../../src/projections/projection-sql.js";
import { histories } from "../support/event-arbitraries.js";
import { freshTables, project } from "../support/events.js";

enableMapSet();
enablePatches();

function allRows(state: LedgerState): Record<string, unknown> {
  return Object.fromEntries(foldTableNames.map((name) => [name, tableRows(state, name)]));
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return true;
  const inner = value instanceof Map ? [...value.values()] : Object.values(value);
  return Object.isFrozen(value) && inner.every(isDeeplyFrozen);
}

function movesMessage(event: LogEvent): boolean {
  return event.type === "RowCaptured" && event.payload?.table === "messages" && event.payload.operation === "update";
}

describe("fold", () => {
  it("gives the same state in one go, from any prefix, and event by event", () => {
    fc.assert(
      fc.property(histories(), fc.nat(), (events, at) => {
        const whole = fold(events);
        const split = at % (events.length + 1);
        const prefix = fold(events.slice(0, split));
        const before = allRows(prefix);
        expect(fold(events.slice(split), prefix)).toEqual(whole);
        expect(allRows(prefix)).toEqual(before);
        expect(events.reduce<LedgerState>(foldEvent, emptyState())).toEqual(whole);
        expect(allRows(fold(events.slice(split), prefix))).toEqual(allRows(whole));
        expect(isDeeplyFrozen(whole)).toBe(true);
      }),
    );
  });

  it("knows the session of every message, and keeps no empty maps", () => {
    fc.assert(
      fc.property(histories(), (events) => {
        const state = fold(events);
        const byMessage = [...state.message_sessions.values()].flatMap((block) => [...block]);
        const bySession = [...state.messages].flatMap(([id, rows]) => [...rows.keys()].map((key) => [key, id]));
        expect(new Map(byMessage)).toEqual(new Map(bySession as [number, string][]));
        expect(byMessage).toHaveLength(bySession.length);
        for (const inner of [...state.messages.values(), ...state.message_sessions.values()]) {
          expect(inner.size).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("changes no state that was passed in, and shares what an event left alone", () => {
    fc.assert(
      fc.property(histories(30), (events) => {
        let state = emptyState();
        for (const event of events) {
          const snapshot = structuredClone(state);
          const next = foldEvent(state, event);
          expect(state).toEqual(snapshot);
          expect(isDeeplyFrozen(next)).toBe(true);
          if (event.type === "MetaSet") expect(next.sessions).toBe(state.sessions);
          state = next;
        }
      }),
    );
  });

  it("gives patches that lead from the old state to the new one and back", () => {
    fc.assert(
      fc.property(histories(30), (events) => {
        let state = emptyState();
        for (const event of events) {
          const step = foldWithPatches(state, event);
          expect(step.state).toEqual(foldEvent(state, event));
          expect(applyPatches(state, [...step.patches])).toEqual(step.state);
          expect(applyPatches(step.state, [...step.inversePatches])).toEqual(state);
          state = step.state;
        }
      }),
    );
  });

  it("ends at the same rows when the events of a deleted session are erased", () => {
    fc.assert(
      fc.property(histories(), (events) => {
        // A message that another program moved is in two streams; erasing one brings back what the other says.
        fc.pre(!events.some(movesMessage));
        const deleted = new Map<string, number>();
        for (const event of events) {
          if (event.type !== "SessionsDeleted") continue;
          for (const id of event.payload.session_ids) deleted.set(id, event.position);
        }
        const erased = events.map((event): LogEvent => {
          const gone = (deleted.get(event.stream_id) ?? 0) > event.position && event.stream_id !== "$sessions";
          return gone ? { ...event, payload: null, erased: true } : event;
        });
        const left = fold(erased);
        expect(allRows(left)).toEqual(allRows(fold(events)));
        expect(left.position).toBe(events.length);
      }),
    );
  });

  it("knows a session from its own stream alone, as far as nothing came from outside", () => {
    fc.assert(
      fc.property(histories(), (events) => {
        const outside = events.some((event) => event.type === "SessionsDeleted" || event.type === "RowCaptured");
        const released = events.some((event) => event.type === "TitleSet" && event.payload.released_from !== null);
        fc.pre(!outside && !released);
        const state = fold(events);
        for (const [id, row] of state.sessions) {
          const alone = foldSession(
            events.filter((event) => event.stream_id === id),
            id,
          );
          expect(alone.session).toEqual(row);
          expect(alone).toEqual(foldSession(events, id));
        }
      }),
    );
  });

  it("agrees with the tables that the SQL projections make", () => {
    fc.assert(
      fc.property(histories(), (events) => {
        const db = freshTables();
        try {
          project(db, events);
          const state = fold(events);
          for (const name of foldTableNames) {
            expect({ [name]: tableRows(state, name) }).toEqual({ [name]: storedRows(db, name) });
          }
          const sequence = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'messages'").pluck().get();
          expect(state.message_sequence).toBe(sequence ?? 0);
        } finally {
          db.close();
        }
      }),
    );
  });
});

function storedRows(db: Database.Database, name: string): SqlRow[] {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name);
  if (known === undefined) return [];
  const keys = db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").pluck().all(name);
  const rows = db
    .prepare(`SELECT * FROM "${name}" ORDER BY ${keys.join(", ")}`)
    .safeIntegers(true)
    .all();
  return (rows as SqlRow[]).map((row) => exactNumbers(plainBytes(row)));
}

/** SQLite's bytes come as Buffer; the fold has them as Uint8Array. */
function plainBytes(row: SqlRow): SqlRow {
  for (const [column, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[column] = new Uint8Array(value);
  }
  return row;
}

describe("stored values", () => {
  const value: fc.Arbitrary<SqlValue> = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom<SqlValue>(-0, 2 ** 63, -(2 ** 63), 2 ** 53, 1e18, 2n ** 63n - 1n, -(2n ** 63n), null),
    fc.constantFrom(
      "12",
      "12.0",
      " 1.5\t",
      "+7",
      "1.",
      ".5",
      "1e3",
      "0x10",
      "9223372036854775808",
      "1 2",
      "12abc",
      "-",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.uint8Array({ maxLength: 3 }),
  );
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n));

  /** Binds a whole number as an INTEGER, as an event means it; the driver binds every number as a REAL. */
  const bound = (given: SqlValue): SqlValue => (Number.isSafeInteger(given) ? BigInt(Number(given)) : given);

  const db = new Database(":memory:");
  db.exec("CREATE TABLE t (integer INTEGER, real REAL, text TEXT, pick)");
  const read = (column: string): SqlValue =>
    Object.values(
      plainBytes(exactNumbers(db.prepare(`SELECT ${column} FROM t`).safeIntegers(true).get() as SqlRow)),
    )[0] ?? null;
  const put = (column: string, given: SqlValue): void => {
    db.exec("DELETE FROM t");
    db.prepare(`INSERT INTO t (${column}) VALUES (?)`).run(bound(given));
  };

  it("are what SQLite's column affinity makes of them", () => {
    fc.assert(
      fc.property(value, fc.constantFrom<Affinity>("integer", "real"), (given, affinity) => {
        put(affinity, given);
        expect(stored(affinity, given)).toEqual(read(affinity));
      }),
      { numRuns: 1000 },
    );
  });

  it("grow as SQLite's addition has it", () => {
    fc.assert(
      fc.property(value, number, fc.constantFrom<Affinity>("integer", "real"), (held, amount, affinity) => {
        put(affinity, held);
        db.prepare(`UPDATE t SET ${affinity} = ${affinity} + ?`).run(bound(amount));
        expect(grown(affinity, stored(affinity, held), amount)).toEqual(read(affinity));
      }),
      { numRuns: 1000 },
    );
  });

  it("sort as SQLite sorts them", () => {
    fc.assert(
      fc.property(value, value, (left, right) => {
        db.exec("DELETE FROM t");
        for (const given of [left, right]) db.prepare("INSERT INTO t (pick) VALUES (?)").run(bound(given));
        const order = db.prepare("SELECT rowid FROM t ORDER BY pick, rowid").pluck().all();
        const reverse = db.prepare("SELECT rowid FROM t ORDER BY pick DESC, rowid").pluck().all();
        const sign = order[0] === 1 ? (reverse[0] === 1 ? 0 : -1) : 1;
        expect(Math.sign(compareValues(left, right))).toBe(sign);
      }),
      { numRuns: 1000 },
    );
  });
});
