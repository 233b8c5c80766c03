/**
 * Benchmarks: each against a raw better-sqlite3 loop doing the same documented writes, in the same run and in turns, so
 * that only the ratio counts. Prints a table, writes `docs/benchmarks.md` with --write, JSON with --json.
 */
import Database from "better-sqlite3";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { SessionDB } from "../src/index.js";
import { RawStore } from "./raw-store.js";
import { workload, type Workload } from "./workload.js";

interface Result {
  readonly what: string;
  readonly unit: string;
  readonly ledger: number;
  readonly raw: number;
  /** Time of the ledger in times of the baseline: smaller is better. */
  readonly ratio: number;
}

const directory = mkdtempSync(join(tmpdir(), "hermes-ledger-bench-"));
let file = 0;
const path = (): string => join(directory, `${(file += 1)}.db`);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

function seconds(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
}

function result(what: string, unit: string, count: number, pairs: readonly { ledger: number; raw: number }[]): Result {
  return {
    what,
    unit,
    ledger: count / median(pairs.map((pair) => pair.ledger)),
    raw: count / median(pairs.map((pair) => pair.raw)),
    ratio: median(pairs.map((pair) => pair.ledger / pair.raw)),
  };
}

function openBoth(work: Workload, durability: "full" | "normal"): { ledger: SessionDB; raw: RawStore } {
  const ledger = SessionDB.open({ path: path(), durability });
  ledger.log.append(
    work.sessions.map(({ id, source, started_at }) => ({
      type: "SessionCreated" as const,
      payload: { session_id: id, fields: { source, started_at } },
    })),
  );
  const raw = new RawStore(path(), durability === "full" ? "FULL" : "NORMAL");
  raw.createSessions(work);
  return { ledger, raw };
}

function appends(durability: "full" | "normal", batch: number, count: number): Result {
  const rounds = 5;
  const work = workload(count * rounds);
  const { ledger, raw } = openBoth(work, durability);
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const messages = work.messages.slice(round * count, (round + 1) * count);
    const batches = Array.from({ length: Math.ceil(count / batch) }, (_, i) =>
      messages.slice(i * batch, (i + 1) * batch),
    );
    const ofLedger = (): void => {
      for (const part of batches) {
        if (batch === 1) {
          for (const message of part) ledger.appendMessage(message);
        } else {
          ledger.log.append(
            part.map(({ session_id, ...message }) => ({
              type: "MessageAppended" as const,
              payload: { session_id, message },
            })),
          );
        }
      }
    };
    const ofRaw = (): void => {
      for (const part of batches) raw.append(part);
    };
    // The order alternates: whoever comes second finds a warmer disk cache.
    if (round % 2 === 0) pairs.push({ ledger: seconds(ofLedger), raw: seconds(ofRaw) });
    else {
      const rawTime = seconds(ofRaw);
      pairs.push({ raw: rawTime, ledger: seconds(ofLedger) });
    }
  }
  ledger.close();
  raw.close();
  const size = batch === 1 ? "single append" : `batch of ${batch}`;
  return result(`${size}, ${durability}`, "messages/s", count, pairs);
}

function rebuilds(count: number): Result {
  const work = workload(count);
  const { ledger, raw } = openBoth(work, "normal");
  for (let i = 0; i < work.messages.length; i += 500) {
    ledger.log.append(
      work.messages.slice(i, i + 500).map(({ session_id, ...message }) => ({
        type: "MessageAppended" as const,
        payload: { session_id, message },
      })),
    );
  }
  // The same rows, written once by hand, are what a rebuild has to beat.
  const pairs = [0, 1, 2].map(() => {
    raw.db.exec("DELETE FROM messages; UPDATE sessions SET message_count = 0, tool_call_count = 0");
    return { ledger: seconds(() => ledger.rebuild()), raw: seconds(() => raw.append(work.messages)) };
  });
  ledger.close();
  raw.close();
  return result("rebuild from the log", "events/s", count, pairs);
}

function searches(count: number): Result[] {
  const work = workload(count);
  const { ledger, raw } = openBoth(work, "normal");
  for (let i = 0; i < work.messages.length; i += 500) {
    ledger.log.append(
      work.messages.slice(i, i + 500).map(({ session_id, ...message }) => ({
        type: "MessageAppended" as const,
        payload: { session_id, message },
      })),
    );
  }
  const queries = [
    ["a common word", "messages_fts", "error", "error"],
    ["two words", "messages_fts", "docker compose", "docker compose"],
    ["three Chinese characters", "messages_fts_trigram", "登录超时", '"登录超时"'],
  ] as const;
  const results = queries.map(([what, table, query, match]) => {
    const search = rawSearch(ledger.path, table);
    ledger.searchMessages(query);
    search.run(match);
    const pairs = Array.from({ length: 5 }, () => ({
      ledger: seconds(() => {
        for (let i = 0; i < 10; i++) ledger.searchMessages(query);
      }),
      raw: seconds(() => {
        for (let i = 0; i < 10; i++) search.run(match);
      }),
    }));
    search.close();
    return result(`search, ${what}`, "queries/s", 10, pairs);
  });
  ledger.close();
  raw.close();
  return results;
}

/** A plain FTS5 query with snippet and the session's columns, as anyone would write it. */
function rawSearch(file: string, table: string): { run(match: string): void; close(): void } {
  const db = new Database(file, { readonly: true });
  const statement = db.prepare(
    `SELECT m.id, m.session_id, m.role, snippet(${table}, -1, '>>>', '<<<', '...', 40) AS snippet, m.timestamp,
        m.tool_name, s.source, s.model, s.started_at
      FROM ${table} f JOIN messages m ON m.id = f.rowid JOIN sessions s ON s.id = m.session_id
      WHERE ${table} MATCH ? AND (m.active = 1 OR m.compacted = 1) ORDER BY rank LIMIT 20`,
  );
  return { run: (match) => void statement.all(match), close: () => void db.close() };
}

function markdown(results: readonly Result[], name: string): string {
  const number = (value: number): string =>
    value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(1);
  const rows = results.map(
    ({ what, unit, ledger, raw, ratio }) =>
      `| ${what} | ${number(ledger)} | ${number(raw)} | ${unit} | ${ratio.toFixed(2)} × |`,
  );
  return [
    "# Benchmarks",
    "",
    "`npm run bench -- --write` writes this page. Each line pairs the ledger with a raw better-sqlite3 loop that does the",
    "same documented writes (or the plain FTS5 query) without a log, in turns, in the same run; the ratio is the ledger's",
    "time in times of the baseline's, the median of the pairs. Absolute figures are the machine's, ratios travel.",
    "",
    `Machine: ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}. Text: ${name}.`,
    "",
    "| what | ledger | raw | unit | time ratio |",
    "|---|---:|---:|---|---:|",
    ...rows,
    "",
  ].join("\n");
}

try {
  const { name } = workload(1);
  const results = [
    appends("full", 1, 400),
    appends("normal", 1, 400),
    appends("full", 100, 2000),
    rebuilds(5_000),
    ...searches(10_000),
  ];
  if (process.argv.includes("--json"))
    console.log(JSON.stringify({ text: name, node: process.version, results }, null, 2));
  else console.log(markdown(results, name));
  if (process.argv.includes("--write"))
    writeFileSync(new URL("../docs/benchmarks.md", import.meta.url), markdown(results, name));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
