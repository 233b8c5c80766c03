import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = process.env["HERMES_LEDGER_SHARED"] ?? resolve(fileURLToPath(import.meta.url), "../../../../shared");

/** The path of a shared test file (real transcripts, databases, worked examples), or null where it is not there. */
export function sharedPath(...parts: string[]): string | null {
  const path = join(root, ...parts);
  return existsSync(path) ? path : null;
}
