import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { ledgerFile } from "../support/ledger-file.js";

const library = pathToFileURL(resolve("src/index.ts")).href;

/** Runs a program that opens the store as `db`, queues usage of the session `s`, and then stops as `ending` says. */
function stop(path: string, ending: string): { status: number | null; signal: NodeJS.Signals | null } {
  const program = `
    import { SessionDB } from ${JSON.stringify(library)};
    const db = SessionDB.open({ path: ${JSON.stringify(path)} });
    const queue = () => db.queueTokenCounts("s", { model: "model-a", input_tokens: 3, api_call_count: 1 });
    queue(); queue();
    ${ending}
  `;
  const { status, signal } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  return { status, signal };
}

test.each([
  ["runs to its end", "", { status: 0, signal: null }],
  ["exits", "process.exit(3);", { status: 3, signal: null }],
  ["throws", "throw new Error('on purpose');", { status: 1, signal: null }],
  [
    "is terminated",
    "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);",
    { status: null, signal: "SIGTERM" },
  ],
  [
    "is interrupted",
    "process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000);",
    { status: null, signal: "SIGINT" },
  ],
  [
    "is terminated and has a listener of its own",
    "process.on('SIGTERM', () => process.exit(7)); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);",
    { status: 7, signal: null },
  ],
  ["closes the store", "db.close(); process.kill(process.pid, 'SIGKILL');", { status: null, signal: "SIGKILL" }],
])("queued usage is booked when the process %s", (_how, ending, ended) => {
  const file = ledgerFile();
  file.session("s");
  expect(stop(file.path, ending)).toEqual(ended);
  expect(file.db.getSession("s")).toMatchObject({ input_tokens: 6, api_call_count: 2 });
  expect(file.db.verify().ok).toBe(true);
});

test("one listener serves all stores of the process", () => {
  const { db, session, another } = ledgerFile();
  session("s");
  db.queueTokenCounts("s", { input_tokens: 1 });
  const listeners = process.listenerCount("SIGTERM");
  another().queueTokenCounts("s", { input_tokens: 1 });
  expect(process.listenerCount("SIGTERM")).toBe(listeners);
});
