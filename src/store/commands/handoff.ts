import type { EventPayloads } from "../../events/index.js";
import { firstRow } from "../rows.js";
import { textArgument } from "../values/arguments.js";
import { firstCodePoints } from "../values/text.js";
import type { WriteTransaction } from "../write-transaction.js";

interface Handoff {
  readonly handoff_state: string | null;
  readonly handoff_error: string | null;
}

/** How much of an error is kept. */
const ERROR_LIMIT = 500;

/** Asks for a session to go on elsewhere; false where it is on its way already. Emits HandoffChanged. */
export function requestHandoff(tx: WriteTransaction, sessionId: string, platform: string): boolean {
  const stored = handoffOf(tx, sessionId);
  if (stored === undefined || ![null, "completed", "failed"].includes(stored.handoff_state)) return false;
  const fields = { handoff_platform: textArgument(platform, "handoff_platform"), handoff_error: null };
  tx.append({ type: "HandoffChanged", payload: { session_id: sessionId, state: "pending", fields } });
  return true;
}

/** Takes on a requested hand-off; false where none is pending. Emits HandoffChanged. */
export function claimHandoff(tx: WriteTransaction, sessionId: string): boolean {
  if (handoffOf(tx, sessionId)?.handoff_state !== "pending") return false;
  tx.append({ type: "HandoffChanged", payload: { session_id: sessionId, state: "running", fields: {} } });
  return true;
}

/** Ends a hand-off well, whatever its state. Emits HandoffChanged. */
export function completeHandoff(tx: WriteTransaction, sessionId: string): void {
  end(tx, sessionId, "completed", null);
}

/** Ends a hand-off with an error, of which the first 500 characters are kept. Emits HandoffChanged. */
export function failHandoff(tx: WriteTransaction, sessionId: string, error: string): void {
  const text = textArgument(error, "handoff_error");
  end(tx, sessionId, "failed", text === null ? null : firstCodePoints(text, ERROR_LIMIT));
}

function end(
  tx: WriteTransaction,
  session_id: string,
  state: "completed" | "failed",
  handoff_error: string | null,
): void {
  const stored = handoffOf(tx, session_id);
  if (stored === undefined || (stored.handoff_state === state && stored.handoff_error === handoff_error)) return;
  const payload: EventPayloads["HandoffChanged"] = { session_id, state, fields: { handoff_error } };
  tx.append({ type: "HandoffChanged", payload });
}

function handoffOf(tx: WriteTransaction, sessionId: string): Handoff | undefined {
  const sql = "SELECT handoff_state, handoff_error FROM sessions WHERE id = ?";
  return firstRow<Handoff>(tx.db, sql, sessionId);
}
