import { spawnSync } from "node:child_process";

/** Whether Python, the language of the reference implementation, is on this machine to compare with. */
export const hasPython = spawnSync("python3", ["-c", "import json, sqlite3"]).status === 0;

/**
 * Runs `def answer(item)` from the given source over the items in one Python process. Items and answers travel as
 * ASCII JSON, so lone surrogates survive.
 */
export function askPython(source: string, items: readonly unknown[]): unknown[] {
  const program = `
import json, sys
${source}
print(json.dumps([answer(item) for item in json.loads(sys.stdin.read())]))
`;
  const input = JSON.stringify(items).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const run = spawnSync("python3", ["-c", program], { input, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`python3 failed: ${run.stderr}`);
  const answers: unknown = JSON.parse(run.stdout);
  if (!Array.isArray(answers)) throw new Error("python3 printed no list");
  return answers;
}
