import type { EventPayloads } from "../../events/index.js";
import { delegatesOf, getSessionDeleteTargets } from "../queries/delegate-set.js";
import { firstRow } from "../rows.js";
import { removeTranscriptFiles } from "../transcript-files.js";
import type { WriteTransaction } from "../write-transaction.js";

/** What every deletion may be told. */
export interface DeleteOptions {
  /** The directory whose transcript files of the deleted sessions go too. */
  readonly sessions_dir?: string | null | undefined;
}

/**
 * Deletes these sessions in one event, with all their messages, and erases their events; their other children become
 * roots. After the commit their files go from `sessions_dir`. An empty list is no deletion. Emits SessionsDeleted.
 */
export function eraseSessions(
  tx: WriteTransaction,
  session_ids: readonly string[],
  cause: EventPayloads["SessionsDeleted"]["cause"],
  { sessions_dir }: DeleteOptions,
): void {
  if (session_ids.length === 0) return;
  tx.append({ type: "SessionsDeleted", payload: { session_ids, cause } });
  if (sessions_dir) tx.afterCommit(() => removeTranscriptFiles(tx.db, sessions_dir, session_ids));
}

/**
 * Deletes a session and the sessions that work for it. Returns false, and deletes nothing, when it is unknown or when
 * `expected_delete_ids` is given and does not name exactly these sessions. Emits SessionsDeleted.
 */
export function deleteSession(
  tx: WriteTransaction,
  sessionId: string,
  options: DeleteOptions & { readonly expected_delete_ids?: readonly string[] | null | undefined } = {},
): boolean {
  const targets = getSessionDeleteTargets(tx.db, sessionId);
  const expected = options.expected_delete_ids;
  if (targets.length === 0 || (expected && !sameIds(targets, expected))) return false;
  eraseSessions(tx, targets, "delete", options);
  return true;
}

/**
 * Deletes sessions and those that work for them. What is no id of a session is passed over. Returns how many of the
 * listed sessions there were. Emits SessionsDeleted.
 */
export function deleteSessions(
  tx: WriteTransaction,
  sessionIds: readonly unknown[],
  options: DeleteOptions = {},
): number {
  const known = [...new Set(sessionIds)].filter(
    (id): id is string => typeof id === "string" && id !== "" && firstRow(tx.db, BY_ID, id) !== undefined,
  );
  const delegates = known.length === 0 ? [] : delegatesOf(tx.db, known);
  eraseSessions(tx, [...known, ...delegates], "bulk", options);
  return known.length;
}

function sameIds(targets: readonly string[], expected: readonly string[]): boolean {
  const named = new Set(expected);
  return named.size === targets.length && targets.every((id) => named.has(id));
}

const BY_ID = "SELECT 1 FROM sessions WHERE id = ?";
