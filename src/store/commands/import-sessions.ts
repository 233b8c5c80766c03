import { checkImport, type ImportProblem } from "../exchange/import-checks.js";
import { importedFields, importedMessages } from "../exchange/imported-values.js";
import { wasErased } from "../log/erase.js";
import { hasOtherMessages } from "../queries/has-other-messages.js";
import { firstRow } from "../rows.js";
import { sessionState } from "../rules/stored-rows.js";
import { strip } from "../values/text.js";
import type { AppendOptions, WriteTransaction } from "../write-transaction.js";
import { newTranscript } from "./new-transcript.js";

/** Our own options of an import. */
export interface ImportOptions {
  /** Also import sessions that this store once held and erased. Default false: what was deleted stays deleted. */
  readonly restoreDeleted?: boolean | undefined;
}

/** What an import did. With `ok` false nothing was written. */
export interface ImportResult {
  readonly ok: boolean;
  /** How many sessions are new. */
  readonly imported: number;
  /** How many were there already, or had been deleted here. */
  readonly skipped: number;
  /** How many lost their parent, because it is not there or the link would have closed a cycle. */
  readonly detached: number;
  /** Only with `ok`. */
  readonly imported_ids?: string[];
  /** Only with `ok`. */
  readonly skipped_ids?: string[];
  /** Those of `skipped_ids` that had been deleted here; absent where there is none. */
  readonly erased_ids?: string[];
  /** Those of `skipped_ids` that are there with other messages than the entry has; absent where there is none. */
  readonly conflicting_ids?: string[];
  /** Why entries can't be taken; empty with `ok`. */
  readonly errors: ImportProblem[];
}

const IMPORT: AppendOptions = { origin: "import" };

/**
 * Imports exported sessions with their messages, all or none. A session that is there already is left alone, and told
 * where it has other messages. Emits SessionImported and TranscriptRewritten for each, then SessionUpdated for each parent.
 *
 * @throws ImportNotAListError, ImportTooLongError, ImportedTitleTakenError, ImportedStartError, and the refusals of
 *   values beyond their columns
 */
export function importSessions(tx: WriteTransaction, sessions: unknown, options: ImportOptions = {}): ImportResult {
  const { problems, accepted } = checkImport(sessions);
  if (problems.length > 0) return { ok: false, imported: 0, skipped: 0, detached: 0, errors: problems };
  const imported_ids: string[] = [];
  const skipped_ids: string[] = [];
  const erased_ids: string[] = [];
  const conflicting_ids: string[] = [];
  const parents = new Map<string, string>();
  for (const session of accepted) {
    const { id } = session;
    if (sessionState(tx.db, id) !== undefined) {
      skipped_ids.push(id);
      if (hasOtherMessages(tx.db, id, importedMessages(session))) conflicting_ids.push(id);
    } else if (!options.restoreDeleted && wasErased(tx.db, id)) {
      skipped_ids.push(id);
      erased_ids.push(id);
    } else {
      const fields = importedFields(session, tx.now());
      tx.append({ type: "SessionImported", payload: { session_id: id, fields } }, IMPORT);
      seed(tx, id, importedMessages(session));
      imported_ids.push(id);
      const parent = session.fields["parent_session_id"];
      if (typeof parent === "string" && strip(parent) !== "") parents.set(id, strip(parent));
    }
  }
  const detached = linkParents(tx, parents);
  return {
    ok: true,
    imported: imported_ids.length,
    skipped: skipped_ids.length,
    detached,
    imported_ids,
    skipped_ids,
    ...(erased_ids.length > 0 ? { erased_ids } : {}),
    ...(conflicting_ids.length > 0 ? { conflicting_ids } : {}),
    errors: [],
  };
}

function seed(tx: WriteTransaction, session_id: string, messages: readonly object[]): void {
  if (messages.length === 0) return;
  const transcript = newTranscript(tx, messages);
  tx.append({ type: "TranscriptRewritten", payload: { session_id, mode: "seed", ...transcript } }, IMPORT);
}

/** Links the sessions to their declared parents, in order; returns how many could not be linked. */
function linkParents(tx: WriteTransaction, declared: Map<string, string>): number {
  let detached = 0;
  for (const [session_id, parent_session_id] of [...declared]) {
    const exists = sessionState(tx.db, parent_session_id) !== undefined;
    if (exists && !closesCycle(tx, declared, session_id, parent_session_id)) {
      const payload = { session_id, fields: { parent_session_id }, cause: "import" };
      tx.append({ type: "SessionUpdated", payload }, IMPORT);
    } else {
      // Forgotten, so that only one link of a loop is lost.
      declared.delete(session_id);
      detached += 1;
    }
  }
  return detached;
}

/** Whether a session is among the ancestors of its parent to be. */
function closesCycle(
  tx: WriteTransaction,
  declared: ReadonlyMap<string, string>,
  sessionId: string,
  parentId: string,
): boolean {
  const seen = new Set<string>();
  let ancestor: string | null = parentId;
  while (ancestor !== null && !seen.has(ancestor)) {
    if (ancestor === sessionId) return true;
    seen.add(ancestor);
    ancestor = declared.get(ancestor) ?? storedParent(tx, ancestor);
  }
  return false;
}

function storedParent(tx: WriteTransaction, sessionId: string): string | null {
  const sql = "SELECT parent_session_id FROM sessions WHERE id = ?";
  return firstRow<{ parent_session_id: string | null }>(tx.db, sql, sessionId)?.parent_session_id ?? null;
}
