import { isDeepStrictEqual } from "node:util";
import type { Database } from "better-sqlite3";
import { LedgerError } from "../../events/index.js";
import { batchRows } from "../messages/batch-rows.js";
import { allRows } from "../rows.js";

/** What makes two messages the same: who said what. Times, reasoning and counters do not. */
const SAID = ["role", "content", "tool_call_id", "tool_calls", "tool_name"] as const;

const STORED = `SELECT ${SAID.join(", ")} FROM messages WHERE session_id = ? AND active = 1 ORDER BY id`;

/**
 * Whether the active messages of a session are others than these, given as the writer of batches takes them. Messages
 * that could not be stored here are others.
 */
export function hasOtherMessages(db: Database, sessionId: string, messages: readonly object[]): boolean {
  const stored = allRows<Readonly<Record<string, unknown>>>(db, STORED, sessionId);
  if (stored.length !== messages.length) return true;
  const given = encoded(messages);
  return given?.every((row, index) => isDeepStrictEqual(said(row), said(stored[index] ?? {}))) !== true;
}

function encoded(messages: readonly object[]): readonly object[] | null {
  try {
    return batchRows(messages, { now: 0 }).rows;
  } catch (error) {
    if (error instanceof LedgerError) return null;
    throw error;
  }
}

function said(row: Readonly<Record<string, unknown>> | object): unknown[] {
  const columns = new Map<string, unknown>(Object.entries(row));
  return SAID.map((column) => columns.get(column) ?? null);
}
