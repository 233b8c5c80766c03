import { readFileSync } from "node:fs";

/** Whether no process has this id. False where that is not certain: an id that cannot be, or one that may not be asked. */
export function isProvablyGone(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 only asks.
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/**
 * When a process started, in clock ticks since the machine did: equal ids with different starts are different
 * processes. Null where the system does not tell (only Linux does).
 */
export function processStart(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in parentheses and may hold anything, so fields are counted from behind it.
    const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_AFTER_NAME]);
    return Number.isSafeInteger(ticks) ? ticks : null;
  } catch {
    return null;
  }
}

/** Field 22 of the line; the name is field 2. */
const START_AFTER_NAME = 19;
