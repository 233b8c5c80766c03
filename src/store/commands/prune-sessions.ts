import { listPruneCandidates } from "../queries/prune-candidates.js";
import type { PruneFilters } from "../queries/prune-filters.js";
import type { WriteTransaction } from "../write-transaction.js";
import { eraseSessions, type DeleteOptions } from "./delete-sessions.js";

/** Which sessions to prune, and where their transcript files are. */
export interface PruneOptions extends PruneFilters, DeleteOptions {
  /** Default 90; null for no age. */
  readonly older_than_days?: number | null | undefined;
}

/**
 * Deletes the ended sessions that the filters let pass, by default those inactive for 90 days. Their children become
 * roots, sessions that worked for them included. Returns how many were deleted. Emits SessionsDeleted.
 *
 * @throws UnknownFilterError, FilterValueError
 */
export function pruneSessions(tx: WriteTransaction, options: PruneOptions = {}): number {
  const { sessions_dir, older_than_days = 90, ...filters } = options;
  const candidates = listPruneCandidates(tx.db, { ...filters, older_than_days }, tx.now());
  const ids = candidates.map(({ id }) => id);
  eraseSessions(tx, ids, "prune", { sessions_dir });
  return ids.length;
}
