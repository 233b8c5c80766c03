import type { Database } from "better-sqlite3";

/** The tables of a schema-23 session store that search reads, written from the documented layout. */
const TABLES = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT, chat_type TEXT,
  thread_id TEXT, display_name TEXT, origin_json TEXT, expiry_finalized INTEGER DEFAULT 0, model TEXT,
  model_config TEXT, system_prompt TEXT, parent_session_id TEXT REFERENCES sessions(id), started_at REAL NOT NULL,
  ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
  input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0,
  cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, cwd TEXT, git_branch TEXT,
  git_repo_root TEXT, billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL,
  actual_cost_usd REAL, cost_status TEXT, cost_source TEXT, pricing_version TEXT, title TEXT, last_activity_at REAL,
  last_activity_description TEXT, last_activity_provenance TEXT, api_call_count INTEGER DEFAULT 0,
  handoff_state TEXT, handoff_platform TEXT, handoff_error TEXT, compression_failure_cooldown_until REAL,
  compression_failure_error TEXT, compression_fallback_streak INTEGER NOT NULL DEFAULT 0,
  compression_ineffective_count INTEGER NOT NULL DEFAULT 0, profile_name TEXT,
  rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
  content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, effect_disposition TEXT, timestamp REAL NOT NULL,
  token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT,
  codex_reasoning_items TEXT, codex_message_items TEXT, platform_message_id TEXT, observed INTEGER DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT, display_kind TEXT,
  display_metadata TEXT
);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE INDEX idx_messages_session_id ON messages(session_id, id);
`;

const INDEXES = `
CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages', content_rowid='id');
CREATE VIEW messages_fts_trigram_src AS
  SELECT id, role, content, tool_name, tool_calls FROM messages WHERE role <> 'tool';
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(
  content, tool_name, tool_calls, content='messages_fts_trigram_src', content_rowid='id', tokenize='trigram');
`;

/** Whether the index holds, or is to hold, the row: it lies outside of what a rebuild has still to do. */
const indexed = (row: "new" | "old"): string => `(
  ${row}.id > coalesce((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_high_water'), -1)
  OR ${row}.id <= coalesce((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_progress'), -1))`;

const insertInto = (table: string, condition = "1"): string => `
  INSERT INTO ${table}(rowid, content, tool_name, tool_calls)
  SELECT new.id, new.content, new.tool_name, new.tool_calls WHERE ${condition};`;

const deleteFrom = (table: string, condition = "1"): string => `
  INSERT INTO ${table}(${table}, rowid, content, tool_name, tool_calls)
  SELECT 'delete', old.id, old.content, old.tool_name, old.tool_calls WHERE ${condition};`;

const TEXT_CHANGED = `(new.content IS NOT old.content OR new.tool_name IS NOT old.tool_name
  OR new.tool_calls IS NOT old.tool_calls)`;

const TRIGGERS = `
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN ${indexed("new")}
BEGIN ${insertInto("messages_fts")} END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN ${indexed("old")}
BEGIN ${deleteFrom("messages_fts")} END;
CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages WHEN ${TEXT_CHANGED} AND ${indexed("old")}
BEGIN ${deleteFrom("messages_fts")} ${insertInto("messages_fts")} END;
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages WHEN new.role <> 'tool' AND ${indexed("new")}
BEGIN ${insertInto("messages_fts_trigram")} END;
CREATE TRIGGER messages_fts_trigram_delete AFTER DELETE ON messages WHEN old.role <> 'tool' AND ${indexed("old")}
BEGIN ${deleteFrom("messages_fts_trigram")} END;
CREATE TRIGGER messages_fts_trigram_update AFTER UPDATE ON messages
WHEN (${TEXT_CHANGED} OR new.role IS NOT old.role) AND ${indexed("old")}
BEGIN
  ${deleteFrom("messages_fts_trigram", "old.role <> 'tool'")}
  ${insertInto("messages_fts_trigram", "new.role <> 'tool'")}
END;
`;

/** Creates the documented tables, full-text indexes and triggers that search needs in an empty database. */
export function createReferenceSchema(db: Database): void {
  db.exec(TABLES + INDEXES + TRIGGERS);
}

/** Inserts rows of plain column values into a table; the columns are those of each row. */
export function insertRows(db: Database, table: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
  for (const row of rows) {
    const columns = Object.keys(row);
    db.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `@${name}`).join(", ")})`,
    ).run(row);
  }
}
