import { decodeContent } from "../messages/content.js";
import { encodeDisplayMetadata } from "../messages/display-metadata.js";
import { editableReactions, reactionsOf, withReactions, type Reaction } from "../messages/reactions.js";
import { allRows, firstRow } from "../rows.js";
import { PyFloat } from "../values/json-value.js";
import { scrubSurrogates } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";

/** A reaction that its reader has not seen yet, with the message it is about. */
export interface UnseenReaction {
  readonly row_id: number | bigint;
  readonly role: string;
  /** `''` where the reaction has none. */
  readonly emoji: string;
  /** The message's text; `''` for structured content. */
  readonly text: string;
}

/** Whose reactions are meant. */
export interface ReactionOptions {
  /** Default `user`. */
  readonly author?: string | undefined;
}

/**
 * Sets the one reaction that an author has to a message, also to an inactive one. The same emoji again takes it back,
 * as does none. Returns all reactions to the message, or null when the session has no such message. Emits
 * MessageAnnotated.
 */
export function setMessageReaction(
  tx: WriteTransaction,
  sessionId: string,
  messageRowId: number,
  emoji: string | null,
  { author = "user" }: ReactionOptions = {},
): Reaction[] | null {
  const sql = "SELECT display_metadata FROM messages WHERE id = ? AND session_id = ?";
  const row = firstRow<{ display_metadata: unknown }>(tx.db, sql, messageRowId, sessionId);
  if (row === undefined) return null;
  const { metadata, reactions } = editableReactions(row.display_metadata);
  const previous = reactions.find((reaction) => reaction["author"] === author)?.["emoji"];
  const kept: Reaction[] = reactions.filter((reaction) => reaction["author"] !== author);
  if (emoji && emoji !== previous) {
    kept.push({ emoji: scrubSurrogates(emoji), author, at: new PyFloat(tx.now()) });
  }
  const display_metadata = withReactions(metadata, kept);
  annotate(tx, sessionId, messageRowId, display_metadata, row.display_metadata);
  return reactionsOf(display_metadata);
}

/**
 * The reactions of an author that were not taken before, to active messages in order; marks them as seen. Emits
 * MessageAnnotated for each message.
 */
export function takeUnseenReactions(
  tx: WriteTransaction,
  sessionId: string,
  { author = "user" }: ReactionOptions = {},
): UnseenReaction[] {
  const rows = allRows<{ id: number; role: string; content: unknown; display_metadata: unknown }>(
    tx.db,
    `SELECT id, role, content, display_metadata FROM messages
      WHERE session_id = ? AND active = 1 AND display_metadata IS NOT NULL
      ORDER BY id`,
    sessionId,
  );
  return rows.flatMap(({ id, role, content, display_metadata }) => {
    const { metadata, reactions } = editableReactions(display_metadata);
    const unseen = reactions.filter((reaction) => reaction["author"] === author && !isTruthy(reaction["seen"]));
    if (unseen.length === 0) return [];
    for (const reaction of unseen) reaction["seen"] = true;
    annotate(tx, sessionId, id, encodeDisplayMetadata(metadata), display_metadata);
    const text = decodeContent(content);
    return unseen.map(({ emoji }) => ({
      row_id: id,
      role,
      emoji: typeof emoji === "string" ? emoji : "",
      text: typeof text === "string" ? text : "",
    }));
  });
}

function annotate(
  tx: WriteTransaction,
  session_id: string,
  message_id: number,
  display_metadata: string | null,
  before: unknown,
): void {
  if (display_metadata === before) return;
  tx.append({ type: "MessageAnnotated", payload: { session_id, message_id, fields: { display_metadata } } });
}
