import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, it } from "vitest";
import { documentedProjections, schemaStatements } from "../../src/projections/index.js";
import { listSessionsRich, type ListSessionsOptions } from "../../src/store/queries/listing/list-sessions-rich.js";

interface Session {
  readonly id: string;
  readonly source: string;
  readonly parent: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly end_reason: string | null;
  readonly heartbeat: number | null;
  readonly archived: number;
  readonly marker: string | null;
  readonly messages: readonly number[];
}

const time = fc.integer({ min: 0, max: 9 });

/** Up to twelve sessions with few times, so that ties are common; parents may form cycles. */
const store: fc.Arbitrary<Session[]> = fc
  .array(
    fc.record({
      source: fc.constantFrom("cli", "cron", "tool"),
      parent: fc.option(fc.nat(11)),
      started_at: time,
      ended_at: fc.option(time),
      end_reason: fc.constantFrom(null, "compression", "compression", "branched"),
      heartbeat: fc.option(time),
      archived: fc.constantFrom(0, 0, 0, 1),
      marker: fc.constantFrom(null, null, null, '{"_branched_from": "x"}', '{"_delegate_from": "x"}', "{no json"),
      messages: fc.array(time, { maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((sessions) =>
    sessions.map(({ parent, ...session }, i) => ({
      ...session,
      id: `s${i}`,
      parent: parent !== null && parent < sessions.length ? `s${parent}` : null,
    })),
  );

const options: fc.Arbitrary<ListSessionsOptions> = fc.record({
  order_by_last_active: fc.boolean(),
  include_children: fc.boolean(),
  include_archived: fc.boolean(),
  min_message_count: fc.constantFrom(0, 2),
  source: fc.constantFrom(undefined, "cli"),
  sources: fc.constantFrom(undefined, ["cli", "cron"]),
  exclude_sources: fc.constantFrom(undefined, ["tool"]),
  id_query: fc.constantFrom(undefined, "S1"),
  limit: fc.integer({ min: -1, max: 5 }),
  offset: fc.nat(4),
  project_compression_tips: fc.constant(false),
});

const has = (session: Session, marker: string): boolean => session.marker?.includes(marker) ?? false;
const lastActive = ({ messages, heartbeat, started_at }: Session): number => {
  const times = heartbeat === null ? messages : [...messages, heartbeat];
  return times.length === 0 ? started_at : Math.max(...times);
};

/** The session and all that continues it. */
function partsOf(root: Session, all: readonly Session[]): Session[] {
  const parts = new Set([root]);
  for (const part of parts) {
    if (part.end_reason !== "compression") continue;
    for (const child of all) {
      const own = child.source === "tool" || has(child, "_branched") || has(child, "_delegate");
      if (child.parent === part.id && !own) parts.add(child);
    }
  }
  return [...parts];
}

/** The ids of a page, by going through everything. */
function naive(all: readonly Session[], wanted: ListSessionsOptions): string[] {
  const byId = new Map(all.map((session) => [session.id, session]));
  const isRoot = (session: Session): boolean => {
    const parent = byId.get(session.parent ?? "");
    const { ended_at = null } = parent ?? {};
    const legacy = parent?.end_reason === "branched" && ended_at !== null && session.started_at >= ended_at;
    return !has(session, "_delegate") && (session.parent === null || has(session, "_branched") || legacy);
  };
  const sources = wanted.source === undefined ? wanted.sources : [wanted.source];
  const shown = all.filter(
    (session) =>
      (wanted.include_children === true || isRoot(session)) &&
      (sources?.includes(session.source) ?? true) &&
      !(wanted.exclude_sources?.includes(session.source) ?? false) &&
      session.messages.length >= (wanted.min_message_count ?? 0) &&
      (wanted.include_archived === true || session.archived === 0),
  );
  const rows = shown.map((session) => {
    const parts = partsOf(session, all);
    return { session, parts, recency: wanted.order_by_last_active === true ? Math.max(...parts.map(lastActive)) : 0 };
  });
  const query = wanted.order_by_last_active === true ? (wanted.id_query ?? "").toLowerCase() : "";
  const { limit = 20, offset = 0 } = wanted;
  return rows
    .filter(({ parts }) => parts.some((part) => part.id.includes(query)))
    .sort(
      (a, b) =>
        b.recency - a.recency || b.session.started_at - a.session.started_at || (a.session.id < b.session.id ? 1 : -1),
    )
    .slice(offset, limit < 0 ? undefined : offset + limit)
    .map(({ session }) => session.id);
}

function fileOf(sessions: readonly Session[]): Database.Database {
  const db = new Database(":memory:");
  db.pragma("foreign_keys = OFF");
  for (const sql of schemaStatements(documentedProjections)) db.exec(sql);
  const insert = db.prepare(
    `INSERT INTO sessions (id, source, parent_session_id, started_at, ended_at, end_reason, last_activity_at, archived,
       model_config, message_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const say = db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'x', ?)");
  for (const s of sessions) {
    const { id, source, parent, started_at, ended_at, end_reason, heartbeat, archived, marker, messages } = s;
    insert.run(id, source, parent, started_at, ended_at, end_reason, heartbeat, archived, marker, messages.length);
    for (const timestamp of messages) say.run(id, timestamp);
  }
  return db;
}

it("lists what going through everything finds, in the same order, with and without the indexes of our own", () => {
  fc.assert(
    fc.property(store, fc.array(options, { minLength: 1, maxLength: 6 }), (sessions, pages) => {
      const db = fileOf(sessions);
      const listed = (): string[][] => pages.map((page) => listSessionsRich(db, page).map((row) => row.id));
      const expected = pages.map((page) => naive(sessions, page));
      expect(listed()).toEqual(expected);
      db.exec("DROP INDEX ledger_sessions_listing; DROP INDEX ledger_sessions_branched");
      expect(listed()).toEqual(expected);
      db.close();
    }),
    { numRuns: 150 },
  );
});
