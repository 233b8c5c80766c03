import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("the library example of the README runs as it stands", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1] ?? "");
  expect(blocks).toHaveLength(2);
  const directory = mkdtempSync(join(tmpdir(), "readme-"));
  try {
    const program = blocks
      .join("\n")
      .replace('"hermes-ledger"', JSON.stringify(pathToFileURL(join(root, "src/index.ts")).href))
      // The second block goes on with the store of the first.
      .replaceAll("db.close();", "");
    const file = join(directory, "example.mts");
    writeFileSync(
      file,
      `${program}\nconst report = db.verify();\ndb.close();\nconsole.log(JSON.stringify({ ok: report.ok, events: report.chain.events }));\n`,
    );
    const run = spawnSync(process.execPath, ["--import", "tsx", file], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, HERMES_HOME: join(directory, "home") },
    });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout.trim().split("\n").at(-1) ?? "")).toEqual({ ok: true, events: 7 });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
