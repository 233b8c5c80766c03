import { encodeContent } from "../messages/content.js";
import { encodeDisplayMetadata } from "../messages/display-metadata.js";
import { firstRow } from "../rows.js";
import { textColumn } from "../values/columns.js";
import { scrubSurrogates } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";

/**
 * Says how the newest active message with this role and content is shown. The metadata is overwritten, also with
 * nothing. Returns whether there was such a message. Emits MessageAnnotated.
 */
export function setLatestMatchingMessageDisplayKind(
  tx: WriteTransaction,
  sessionId: string,
  role: string,
  content: unknown,
  displayKind: string,
  options: { readonly display_metadata?: unknown } = {},
): boolean {
  if (sessionId === "" || !isTruthy(content) || displayKind === "") return false;
  const found = firstRow<{ id: number; display_kind: string | null; display_metadata: string | null }>(
    tx.db,
    `SELECT id, display_kind, display_metadata FROM messages
      WHERE session_id = ? AND role = ? AND content = ? AND active = 1
      ORDER BY id DESC LIMIT 1`,
    sessionId,
    role,
    storedContent(content),
  );
  if (found === undefined) return false;
  const display_kind = scrubSurrogates(displayKind);
  const display_metadata = encodeDisplayMetadata(options.display_metadata);
  if (found.display_kind !== display_kind || found.display_metadata !== display_metadata) {
    const fields = { display_kind, display_metadata };
    tx.append({ type: "MessageAnnotated", payload: { session_id: sessionId, message_id: found.id, fields } });
  }
  return true;
}

/**
 * Keeps what was really sent to the API for the newest active user message, if that has this content. Returns how many
 * messages were found: 1 or 0. Emits MessageAnnotated.
 */
export function setLatestUserApiContent(
  tx: WriteTransaction,
  sessionId: string,
  content: unknown,
  apiContent: string | null,
): 0 | 1 {
  const newest = firstRow<{ id: number; same: number; api_content: string | null }>(
    tx.db,
    `SELECT id, content IS ? AS same, api_content FROM messages
      WHERE session_id = ? AND role = 'user' AND active = 1
      ORDER BY id DESC LIMIT 1`,
    storedContent(content),
    sessionId,
  );
  if (newest?.same !== 1) return 0;
  const api_content = apiContent === null ? null : scrubSurrogates(apiContent);
  if (newest.api_content !== api_content) {
    const fields = { api_content };
    tx.append({ type: "MessageAnnotated", payload: { session_id: sessionId, message_id: newest.id, fields } });
  }
  return 1;
}

/** Content as the column holds it, to compare with. */
function storedContent(content: unknown): string | Uint8Array | null {
  return textColumn(encodeContent(content), "content");
}
