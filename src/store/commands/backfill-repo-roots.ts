import { allRows } from "../rows.js";
import { textColumn } from "../values/columns.js";
import type { WriteTransaction } from "../write-transaction.js";

/**
 * Gives the sessions of each directory the root of its repository, where they have none. Blank directories and roots
 * are passed over. Emits SessionUpdated for each session.
 */
export function backfillRepoRoots(tx: WriteTransaction, cwdToRoot: Readonly<Record<string, string | null>>): void {
  for (const [cwd, root] of Object.entries(cwdToRoot)) {
    if (!cwd || !root) continue;
    const git_repo_root = textColumn(root, "git_repo_root");
    for (const { id } of allRows<{ id: string }>(tx.db, WITHOUT_ROOT, textColumn(cwd, "cwd"))) {
      const payload = { session_id: id, fields: { git_repo_root }, cause: "backfill_repo_root" };
      tx.append({ type: "SessionUpdated", payload });
    }
  }
}

const WITHOUT_ROOT = `
  SELECT id FROM sessions WHERE cwd = ? AND (git_repo_root IS NULL OR git_repo_root = '') ORDER BY id`;
