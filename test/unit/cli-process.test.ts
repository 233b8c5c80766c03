import { setTimeout as sleep } from "node:timers/promises";
import { once } from "node:events";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { samplesDirectory } from "../../src/cli/tour/samples.js";
import { SessionDB } from "../../src/store/session-db.js";
import { scratch } from "../support/cli.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const dir = scratch();
afterAll(dir.remove);

const samples = ["cron", "debugging", "languages", "river-guide"].map((name) => `${samplesDirectory}${name}.jsonl`);

describe.skipIf(!existsSync(main))("the built program (skipped without dist/)", () => {
  const env = { PATH: process.env["PATH"], HERMES_HOME: dir.path("home") };
  const program = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: "utf8", env });

  it("imports to the documented location, lists, and tells its status", () => {
    expect(program("import", ...samples)).toMatchObject({ status: 0, stderr: "" });
    expect(existsSync(dir.path("home/state.db"))).toBe(true);
    expect(program("sessions", "list").stdout).toContain("给旧相册做定时备份");
    expect(program("sessions", "show", "nobody").status).toBe(1);
    expect(program("nonsense").status).toBe(2);
    expect(program("verify")).toMatchObject({ status: 0, stderr: "" });
  });

  it("without a command it runs the tour on the samples of the package", () => {
    const { status, stdout, stderr } = program();
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("Every proof holds.");
  });

  it("ends quietly when the reader goes", () => {
    const path = dir.path("long.db");
    const db = SessionDB.open({ path, durability: "normal" });
    db.createSession({ session_id: "long", source: "cli" });
    db.transaction(() => {
      for (let n = 0; n < 3000; n++) db.appendMessage({ session_id: "long", role: "user", content: "x".repeat(100) });
    });
    db.close();
    const command = `'${process.execPath}' '${main}' --db '${path}' --json log | head -n 2`;
    const { stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8", env });
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  });

  it("log --follow shows what another process appends, and ends with Ctrl-C", async () => {
    const path = dir.path("followed.db");
    const db = SessionDB.open({ path });
    db.createSession({ session_id: "s", source: "cli" });
    const child = spawn(process.execPath, [main, "--db", path, "--json", "log", "--follow"], { env });
    let stdout = "";
    const seen = async (text: string): Promise<void> => {
      while (!stdout.includes(text)) await sleep(10);
    };
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const exit = once(child, "exit");
    await seen("SessionCreated");
    db.appendMessage({ session_id: "s", role: "user", content: "hello from elsewhere" });
    await seen("hello from elsewhere");
    db.close();
    child.kill("SIGINT");
    expect(await exit).toEqual([0, null]);
    expect(stderr).toBe("");
  });
});
