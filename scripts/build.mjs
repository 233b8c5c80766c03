// Compiles src/ to dist/ and makes the command line executable (the compiler keeps its shebang, not its mode).
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";

const COMMAND = "dist/cli/main.js";

// For the package: from nothing, so that no file of a source that is gone gets into it.
const clean = process.argv.includes("--clean");
if (clean) rmSync("dist", { recursive: true, force: true });

const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

if (!existsSync(COMMAND)) {
  console.error(`build: ${COMMAND} was not made; package.json promises it as the command`);
  process.exit(1);
}
chmodSync(COMMAND, 0o755);
// The compiler's notes for the next incremental build are of no use to who installs the package.
if (clean) rmSync("dist/.tsbuildinfo", { force: true });
