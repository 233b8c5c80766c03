import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";

/** The value of a key of the store's metadata, or null. */
export function getMeta(db: Database, key: string): string | null {
  return firstRow<{ value: string | null }>(db, "SELECT value FROM state_meta WHERE key = ?", key)?.value ?? null;
}
