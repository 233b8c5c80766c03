import Sqlite, { type Database } from "better-sqlite3";
import { createReferenceSchema, insertRows } from "./reference-schema.js";

/** A message to search: its text, or columns beyond it. */
export type SearchableMessage = string | Readonly<Record<string, unknown>>;

/** Opens a database (in memory without `file`) with one session `s1` and messages 1, 2, 3 … at times 1, 2, 3 …. */
export function searchStore(messages: readonly SearchableMessage[], file = ":memory:"): Database {
  const db = new Sqlite(file, { timeout: 0 });
  createReferenceSchema(db);
  db.transaction(() => {
    insertRows(db, "sessions", [{ id: "s1", source: "cli", model: "m", started_at: 0 }]);
    insertRows(
      db,
      "messages",
      messages.map((message, index) => ({
        id: index + 1,
        session_id: "s1",
        role: "user",
        timestamp: index + 1,
        ...(typeof message === "string" ? { content: message } : message),
      })),
    );
  })();
  return db;
}
