import type { Database } from "better-sqlite3";
import { decodeMessageRow, type MessageRow } from "../messages/message-row.js";
import { MESSAGE_COLUMNS, readMessages } from "./read-messages.js";

/** Messages around one message, in the order of their ids, rewound and compacted ones included. */
export interface MessagesAround {
  /** The anchor with up to `window` messages on either side; empty when the session has no such message. */
  readonly window: MessageRow[];
  /** How many came before the anchor, at most `window`. */
  readonly messages_before: number;
  /** How many came after it, at most `window`. */
  readonly messages_after: number;
}

/** A window as in {@link MessagesAround}, with the beginning and the end of the session. */
export interface AnchoredView extends MessagesAround {
  /** The first messages before the window that have text. */
  readonly bookend_start: MessageRow[];
  /** The last messages after the window that have text. */
  readonly bookend_end: MessageRow[];
}

/** How much a view shows. */
export interface AnchoredViewOptions {
  /** Messages on either side of the anchor. Default 5. */
  readonly window?: number | undefined;
  /** Messages at either end of the session. Default 3. */
  readonly bookend?: number | undefined;
  /** Roles to show; null: all. Default `user` and `assistant`. The anchor is shown in any case. */
  readonly keep_roles?: readonly string[] | null | undefined;
}

/** The messages around one message of a session. A negative window counts as 0. */
export function getMessagesAround(
  db: Database,
  sessionId: string,
  aroundMessageId: number,
  options: { readonly window?: number | undefined } = {},
): MessagesAround {
  const at = { session_id: sessionId, id: aroundMessageId, limit: Math.max(0, options.window ?? 5) };
  const anchor = read(db, ANCHOR, at);
  if (anchor.length === 0) return { window: [], messages_before: 0, messages_after: 0 };
  const before = read(db, BEFORE, at).reverse();
  const after = read(db, AFTER, at);
  return {
    window: [...before, ...anchor, ...after],
    messages_before: before.length,
    messages_after: after.length,
  };
}

/**
 * The messages around one message of a session, and those with which the session begins and ends, to show what it was
 * about. The counts are those of the window before roles are dropped from it.
 */
export function getAnchoredView(
  db: Database,
  sessionId: string,
  aroundMessageId: number,
  options: AnchoredViewOptions = {},
): AnchoredView {
  const around = getMessagesAround(db, sessionId, aroundMessageId, options);
  const first = around.window[0];
  const last = around.window.at(-1);
  if (first === undefined || last === undefined) return { ...around, bookend_start: [], bookend_end: [] };
  const roles = options.keep_roles === undefined ? ["user", "assistant"] : options.keep_roles;
  const bookend = {
    session_id: sessionId,
    limit: Math.max(0, options.bookend ?? 3),
    roles: roles === null ? null : JSON.stringify(roles),
  };
  return {
    ...around,
    window: around.window.filter(
      ({ role }, index) => index === around.messages_before || roles === null || roles.includes(role),
    ),
    bookend_start: read(db, BOOKEND_START, { ...bookend, id: first.id }),
    bookend_end: read(db, BOOKEND_END, { ...bookend, id: last.id }).reverse(),
  };
}

function read(db: Database, sql: string, parameters: Readonly<Record<string, unknown>>): MessageRow[] {
  return readMessages(db, sql, parameters).map(decodeMessageRow);
}

const SELECT = `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = @session_id`;

const ANCHOR = `${SELECT} AND id = @id`;
const BEFORE = `${SELECT} AND id < @id ORDER BY id DESC LIMIT @limit`;
const AFTER = `${SELECT} AND id > @id ORDER BY id LIMIT @limit`;

// length() stops at a NUL, so that structured content has no text.
const WITH_TEXT = `length(content) > 0 AND (@roles IS NULL OR role IN (SELECT value FROM json_each(@roles)))`;
const BOOKEND_START = `${SELECT} AND id < @id AND ${WITH_TEXT} ORDER BY id LIMIT @limit`;
const BOOKEND_END = `${SELECT} AND id > @id AND ${WITH_TEXT} ORDER BY id DESC LIMIT @limit`;
