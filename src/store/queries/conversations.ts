import type { Database } from "better-sqlite3";
import { toConversation } from "../messages/conversation.js";
import type { ConversationEntry } from "../messages/conversation-entry.js";
import type { StoredMessageRow } from "../messages/message-row.js";
import { lineageRootToTip } from "./conversation-lineage.js";
import { MESSAGE_COLUMNS, readMessages } from "./read-messages.js";

/** What a conversation holds. All default to false. */
export interface ConversationQuery {
  /** Also the messages of the sessions this one descends from; user texts that were carried over appear once. */
  readonly include_ancestors?: boolean | undefined;
  /** Also messages that were rewound or compacted away. */
  readonly include_inactive?: boolean | undefined;
  /** Make the roles alternate as providers demand. */
  readonly repair_alternation?: boolean | undefined;
  /** Give each entry the id of its row as `_row_id`. */
  readonly include_row_ids?: boolean | undefined;
}

/** The messages of a session, or of its whole lineage, in the form that goes back to a model. */
export function getMessagesAsConversation(
  db: Database,
  sessionId: string,
  options: ConversationQuery = {},
): ConversationEntry[] {
  const { include_ancestors = false, include_inactive = false, repair_alternation, include_row_ids } = options;
  // One snapshot: the lineage and its messages belong together.
  const rows = db.transaction(() =>
    messagesOf(db, include_ancestors ? lineageRootToTip(db, sessionId) : [sessionId], include_inactive),
  )();
  return toConversation(rows, {
    includeAncestors: include_ancestors,
    repairAlternation: repair_alternation ?? false,
    includeRowIds: include_row_ids ?? false,
  });
}

/**
 * What a resumed session needs: the conversation for the model (the session alone, roles alternating), and the one to
 * show (the whole lineage). Active messages only, with row ids.
 */
export function getResumeConversations(db: Database, sessionId: string): [ConversationEntry[], ConversationEntry[]] {
  const rows = db.transaction(() => messagesOf(db, lineageRootToTip(db, sessionId), false))();
  return [
    toConversation(
      rows.filter((row) => row.session_id === sessionId),
      { repairAlternation: true, includeRowIds: true },
    ),
    toConversation(rows, { includeAncestors: true, includeRowIds: true }),
  ];
}

/** What to show before a session's own messages: the conversation of its ancestors. `[]` without a parent. */
export function getAncestorDisplayPrefix(db: Database, sessionId: string): ConversationEntry[] {
  const rows = db.transaction(() => {
    const ancestors = lineageRootToTip(db, sessionId).filter((id) => id !== sessionId);
    return ancestors.length === 0 ? [] : messagesOf(db, ancestors, false);
  })();
  return toConversation(rows, { includeAncestors: true });
}

/** Rows in id order across sessions. */
function messagesOf(db: Database, sessionIds: readonly string[], includeInactive: boolean): StoredMessageRow[] {
  const [only, ...others] = sessionIds;
  const active = includeInactive ? 0 : 1;
  if (only !== undefined && others.length === 0) return readMessages(db, OF_SESSION, { session_id: only, active });
  return readMessages(db, OF_SESSIONS, { session_ids: JSON.stringify(sessionIds), active });
}

// The index on (session_id, id) gives the order of one session.
const OF_SESSION = `SELECT ${MESSAGE_COLUMNS} FROM messages
  WHERE session_id = @session_id AND (NOT @active OR active = 1) ORDER BY id`;
const OF_SESSIONS = `SELECT ${MESSAGE_COLUMNS} FROM messages
  WHERE session_id IN (SELECT value FROM json_each(@session_ids)) AND (NOT @active OR active = 1) ORDER BY id`;
