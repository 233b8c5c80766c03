// Runs every check in turn and stops at the first that fails. A good step is one line; a failed one shows its output.
import { spawnSync } from "node:child_process";

const STEPS = ["typecheck", "lint", "format:check", "deps:check", "dead-code", "api:check"];

for (const step of STEPS) {
  const started = performance.now();
  const run = spawnSync(`npm run --silent ${step}`, {
    encoding: "utf8",
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (run.status !== 0) {
    process.stdout.write(`${run.stdout}${run.stderr}`);
    console.log(`check: ${step} failed (${seconds} s); run it alone with: npm run ${step}`);
    process.exit(1);
  }
  console.log(`check: ${step} passed (${seconds} s)`);
}
