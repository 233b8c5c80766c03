import { readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { firstRow } from "./rows.js";

/**
 * Removes the transcript files of deleted sessions from a directory: `<id>.json`, `<id>.jsonl` and
 * `request_dump_<id>_*.json`. Ids stand for themselves: neither wildcards nor paths in them reach other files, and a
 * dump that belongs to a session with a longer id (`a_b` beside `a`) is that session's. What cannot be removed stays.
 */
export function removeTranscriptFiles(db: Database, directory: string, sessionIds: readonly string[]): void {
  const deleted = new Set(sessionIds);
  for (const name of namesIn(directory)) {
    if (belongsTo(db, name, deleted)) remove(join(directory, name));
  }
}

function belongsTo(db: Database, name: string, deleted: ReadonlySet<string>): boolean {
  const transcript = /^(.*)\.jsonl?$/s.exec(name)?.[1];
  if (transcript !== undefined && deleted.has(transcript)) return true;
  const dump = /^request_dump_(.*)\.json$/s.exec(name)?.[1];
  return dump !== undefined && dumpOwner(db, dump, deleted) === "deleted";
}

/** Whose dump this is: of all sessions, there or just deleted, the one with the longest id that the name can mean. */
function dumpOwner(db: Database, name: string, deleted: ReadonlySet<string>): "deleted" | "kept" | null {
  for (let end = name.lastIndexOf("_"); end >= 0; end = end === 0 ? -1 : name.lastIndexOf("_", end - 1)) {
    const id = name.slice(0, end);
    if (deleted.has(id)) return "deleted";
    if (firstRow(db, "SELECT 1 FROM sessions WHERE id = ?", id) !== undefined) return "kept";
  }
  return null;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // A file that is gone or protected does not undo the deletion.
  }
}
