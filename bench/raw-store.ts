import Database from "better-sqlite3";
import { documentedProjections, schemaStatements } from "../src/projections/index.js";
import { toPythonJson } from "../src/store/values/python-json.js";
import type { WorkMessage, Workload } from "./workload.js";

/**
 * The baseline: better-sqlite3 doing the same documented writes (message row, counters, both full-text indexes) in the
 * same schema with the same pragmas, without a log.
 */
export class RawStore {
  readonly db: Database.Database;
  readonly #insert: Database.Statement;
  readonly #count: Database.Statement;

  constructor(path: string, synchronous: "FULL" | "NORMAL") {
    this.db = new Database(path);
    this.db.pragma("recursive_triggers = OFF");
    this.db.pragma("journal_mode = WAL");
    this.db.pragma(`synchronous = ${synchronous}`);
    this.db.pragma("secure_delete = ON");
    for (const sql of schemaStatements(documentedProjections)) this.db.exec(sql);
    this.#insert = this.db.prepare(
      `INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, tool_name, timestamp, observed, active)
        VALUES (?, ?, ?, ?, ?, ?, ?, 0, 1)`,
    );
    this.#count = this.db.prepare(
      "UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? WHERE id = ?",
    );
  }

  createSessions({ sessions }: Workload): void {
    const insert = this.db.prepare("INSERT INTO sessions (id, source, started_at) VALUES (?, ?, ?)");
    this.db.transaction(() => {
      for (const session of sessions) insert.run(session.id, session.source, session.started_at);
    })();
  }

  /** Appends messages in one transaction. */
  append(messages: readonly WorkMessage[]): void {
    this.db.exec("BEGIN IMMEDIATE");
    for (const message of messages) {
      const { tool_calls = [] } = message;
      this.#insert.run(
        message.session_id,
        message.role,
        message.content,
        tool_calls.length === 0 ? null : toPythonJson(tool_calls),
        message.tool_call_id ?? null,
        message.tool_name ?? null,
        message.timestamp,
      );
      this.#count.run(tool_calls.length, message.session_id);
    }
    this.db.exec("COMMIT");
  }

  close(): void {
    this.db.close();
  }
}
