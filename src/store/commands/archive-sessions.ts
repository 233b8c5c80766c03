import { LAST_ACTIVE_SQL } from "../queries/last-active.js";
import { listPruneCandidates } from "../queries/prune-candidates.js";
import type { PruneFilters } from "../queries/prune-filters.js";
import { allRows } from "../rows.js";
import type { WriteTransaction } from "../write-transaction.js";
import { setSessionFlag } from "./set-session-flag.js";

/**
 * Archives the ended sessions that the filters let pass, each with its lineage; those that are archived are passed over
 * unless `archived` says otherwise. Returns how many the filters let pass. Emits SessionFlagsSet.
 *
 * @throws UnknownFilterError, FilterValueError
 */
export function archiveSessions(tx: WriteTransaction, filters: PruneFilters): number {
  const { archived = false } = filters;
  return archiveEach(tx, listPruneCandidates(tx.db, { ...filters, archived }, tx.now()));
}

/**
 * Archives sessions that were idle for longer than so many days, live ones too, each with its lineage. Returns how many
 * were found. Emits SessionFlagsSet.
 */
export function archiveStaleSessions(
  tx: WriteTransaction,
  idleDays: number | null,
  options: { exclude_pinned?: boolean | undefined } = {},
): number {
  if (idleDays === null || idleDays < 0) return 0;
  const parameters = {
    before: tx.now() - idleDays * 86_400,
    exclude_pinned: (options.exclude_pinned ?? true) ? 1 : 0,
  };
  return archiveEach(tx, allRows<{ id: string }>(tx.db, STALE, parameters));
}

function archiveEach(tx: WriteTransaction, sessions: readonly { readonly id: string }[]): number {
  for (const { id } of sessions) setSessionFlag(tx, id, "archived", true);
  return sessions.length;
}

const STALE = `
  SELECT s.id FROM sessions s
   WHERE s.archived = 0 AND s.end_reason IS NOT 'compression' AND (s.pinned = 0 OR NOT @exclude_pinned)
     AND ${LAST_ACTIVE_SQL} < @before
   ORDER BY s.started_at, s.id`;
