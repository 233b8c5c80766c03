import type { Database } from "better-sqlite3";
import { decodeMessageRow, type MessageRow } from "../messages/message-row.js";
import { MESSAGE_COLUMNS, readMessages } from "./read-messages.js";

/** Which messages to read. */
export interface GetMessagesOptions {
  /** Also those that were rewound or compacted away. Default false. */
  readonly include_inactive?: boolean | undefined;
  /** How many at most; null (default) or a negative number: all. */
  readonly limit?: number | null | undefined;
  /** How many to pass over first. Default 0. */
  readonly offset?: number | undefined;
}

/** The messages of a session in the order of their ids, whatever their times say. */
export function getMessages(db: Database, sessionId: string, options: GetMessagesOptions = {}): MessageRow[] {
  const sql = options.include_inactive ? ALL : ACTIVE;
  const parameters = { session_id: sessionId, limit: options.limit ?? -1, offset: options.offset ?? 0 };
  return readMessages(db, sql, parameters).map(decodeMessageRow);
}

const select = (condition: string): string =>
  `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = @session_id${condition}
    ORDER BY id LIMIT @limit OFFSET @offset`;

// Each served by the index on (session_id, id): the order costs no sort, and a page stops early.
const ALL = select("");
const ACTIVE = select(" AND active = 1");
