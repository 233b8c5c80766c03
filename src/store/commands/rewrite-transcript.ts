import type { EventPayloads } from "../../events/index.js";
import { holdsMessageText } from "../log/erase.js";
import { SessionClosedError } from "../rules/rule-errors.js";
import { sessionState } from "../rules/stored-rows.js";
import { firstRow } from "../rows.js";
import type { WriteTransaction } from "../write-transaction.js";
import { newTranscript, type NewTranscript } from "./new-transcript.js";

type Mode = EventPayloads["TranscriptRewritten"]["mode"];

/**
 * Replaces the messages of a session, or only the active ones, and sets both counters to what is written. Emits
 * TranscriptRewritten.
 *
 * @throws SessionClosedError, SessionNotFoundError (when there is something to write), and the refusals of messages
 */
export function replaceMessages(
  tx: WriteTransaction,
  sessionId: string,
  messages: readonly object[],
  options: { readonly active_only?: boolean | undefined } = {},
): void {
  const state = sessionState(tx.db, sessionId);
  if (state?.end_reason === "compression" && state.ended_at !== null) throw new SessionClosedError(sessionId);
  rewrite(tx, sessionId, options.active_only ? "active" : "all", newTranscript(tx, messages));
}

/**
 * Takes the active messages out of the live context, keeps them searchable, and writes others in their place. Returns
 * how many were written. Emits TranscriptRewritten.
 */
export function archiveAndCompact(tx: WriteTransaction, sessionId: string, messages: readonly object[]): number {
  const transcript = newTranscript(tx, messages);
  rewrite(tx, sessionId, "compact", transcript);
  return transcript.message_count;
}

/**
 * Deletes all messages of a session and sets both counters to 0; their text is erased from the log too, also that of
 * messages which were replaced before. Emits TranscriptRewritten.
 */
export function clearMessages(tx: WriteTransaction, sessionId: string): void {
  rewrite(tx, sessionId, "clear", newTranscript(tx, []));
}

function rewrite(tx: WriteTransaction, session_id: string, mode: Mode, transcript: NewTranscript): void {
  if (transcript.message_count > 0 || changesAnything(tx, session_id, mode)) {
    tx.append({ type: "TranscriptRewritten", payload: { session_id, mode, ...transcript } });
  }
}

/** Whether a rewrite without messages would change something. */
function changesAnything(tx: WriteTransaction, sessionId: string, mode: Mode): boolean {
  const session = firstRow<{ counted: number; messages: number; active: number }>(tx.db, CHANGED, sessionId);
  if (session === undefined) return false;
  if (session.counted !== 0) return true;
  if (mode === "clear" && holdsMessageText(tx.db, sessionId)) return true;
  return (mode === "all" || mode === "clear" ? session.messages : session.active) !== 0;
}

const CHANGED = `
  SELECT s.message_count IS NOT 0 OR s.tool_call_count IS NOT 0 AS counted,
         EXISTS (SELECT 1 FROM messages WHERE session_id = s.id) AS messages,
         EXISTS (SELECT 1 FROM messages WHERE session_id = s.id AND active = 1) AS active
    FROM sessions s WHERE s.id = ?`;
