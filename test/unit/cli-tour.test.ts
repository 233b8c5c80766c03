import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { displayWidth } from "../../src/cli/output/text.js";
import { fingerprint, wreckTables } from "../../src/cli/tour/proof.js";
import { readSamples } from "../../src/cli/tour/samples.js";
import { sampleFacts } from "../../src/cli/tour/story.data.js";
import { SessionDB } from "../../src/store/session-db.js";
import { documentOf, runCli, scratch } from "../support/cli.js";

const dir = scratch();
afterAll(dir.remove);

const ours = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("hermes-ledger-tour-"));

describe("the samples", () => {
  const samples = readSamples();

  it("are sessions of several languages, with facts for each", () => {
    expect(samples.map(({ id }) => id).sort()).toEqual(Object.keys(sampleFacts).sort());
    const text = samples.flatMap(({ messages }) => messages.map(({ content }) => content ?? "")).join("");
    for (const script of ["Latin", "Han", "Hiragana", "Hangul"]) {
      expect(text).toMatch(new RegExp(`\\p{Script=${script}}`, "u"));
    }
  });

  it("have times that increase, and an answer to every call", () => {
    for (const { started_at, messages } of samples) {
      const times = [started_at, ...messages.map(({ timestamp }) => timestamp)];
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
      const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(called);
    }
  });
});

describe("the tour", () => {
  it("proves everything, fits 80 columns without colours, and leaves nothing behind", async () => {
    const before = ours();
    const { status, stdout, stderr } = await runCli([]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("Every proof holds.");
    expect(stdout).not.toContain("\x1b");
    expect(stdout).not.toMatch(/^ {3}NO /m);
    expect(Math.max(...stdout.split("\n").map(displayWidth))).toBeLessThanOrEqual(80);
    expect(ours()).toEqual(before);
  });

  it("has its findings as JSON", async () => {
    const result = await runCli(["tour", "--json"]);
    expect(result.status).toBe(0);
    const document = documentOf<{ ok: boolean; steps: ({ step: string; ok: boolean } & Record<string, unknown>)[] }>(
      result,
    );
    expect(document.ok).toBe(true);
    expect(document.steps.map(({ step, ok }) => [step, ok])).toEqual(
      ["write", "sessions", "transcript", "search", "usage", "log", "audit"].map((step) => [step, true]),
    );
    const audit = document.steps.at(-1)!;
    expect(audit["after"]).toEqual(audit["before"]);
    expect(audit["lost"]).toBeGreaterThan(0);
  });

  it("--keep leaves the store there, and never writes into one that is there", async () => {
    const kept = dir.path("kept/deep");
    expect((await runCli(["tour", "--keep", kept])).stdout).toContain(
      `hermes-ledger --db ${kept}/state.db sessions list`,
    );
    expect((await runCli(["--db", `${kept}/state.db`, "verify", "--deep"])).status).toBe(0);
    const before = fingerprint(`${kept}/state.db`);
    const again = await runCli(["tour", "--keep", kept]);
    expect(again).toMatchObject({ status: 1, stdout: "" });
    expect(again.stderr).toContain("is there already; it was left as it is");
    expect(fingerprint(`${kept}/state.db`)).toEqual(before);
  });

  it("stops quietly when the reader has gone, and cleans up", async () => {
    const before = ours();
    expect(await runCli(["tour"], { readerLeavesAfter: 1 })).toMatchObject({ status: 0, stderr: "" });
    expect(ours()).toEqual(before);
  });
});

describe("the fingerprint", () => {
  const make = (name: string, content: unknown, times = 1): string => {
    const path = dir.path(name);
    const db = SessionDB.open({ path, clock: () => 1000 });
    db.createSession({ session_id: "s", source: "cli" });
    for (let n = 0; n < times; n++) db.appendMessage({ session_id: "s", role: "user", content });
    db.close();
    return path;
  };

  it("is the same for the same rows, and another for any other value or kind of value", () => {
    mkdirSync(dir.path("prints"));
    const one = fingerprint(make("prints/a.db", "12"));
    expect(fingerprint(make("prints/b.db", "12"))).toEqual(one);
    const others = [
      make("prints/c.db", "13"),
      make("prints/d.db", null),
      make("prints/e.db", new Uint8Array([49, 50])),
      make("prints/f.db", "12", 2),
    ].map((path) => fingerprint(path).sha256);
    expect(new Set([one.sha256, ...others]).size).toBe(5);
  });

  it("notices that every row is gone", () => {
    const path = make("wrecked.db", "text");
    const before = fingerprint(path);
    expect(wreckTables(path)).toBe(before.rows);
    expect(fingerprint(path).rows).toBe(0);
    expect(existsSync(path)).toBe(true);
  });
});
