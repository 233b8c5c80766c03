import { allRows, firstRow } from "../rows.js";
import { textColumn } from "../values/columns.js";
import { escapeLike } from "../values/text.js";
import type { WriteTransaction } from "../write-transaction.js";

/**
 * Gives the `cli` sessions that run under the workspaces of a kanban board the source `kanban`, once for each root.
 * Returns how many there were. Emits SessionUpdated for each, and MetaSet.
 */
export function retagKanbanWorkerSessions(tx: WriteTransaction, workspacesRoot: string): number {
  const prefix = workspacesRoot.replace(/[/\\]+$/, "");
  if (prefix === "") return 0;
  const key = `kanban_worker_source_retagged:${prefix}`;
  const gate = firstRow<{ value: string | null }>(tx.db, "SELECT value FROM state_meta WHERE key = ?", key);
  if (gate?.value === "1") return 0;
  const below = { prefix: textColumn(prefix, "cwd"), children: `${escapeLike(prefix)}/%` };
  const workers = allRows<{ id: string }>(tx.db, WORKERS, below);
  for (const { id } of workers) {
    tx.append({
      type: "SessionUpdated",
      payload: { session_id: id, fields: { source: "kanban" }, cause: "retag_kanban" },
    });
  }
  tx.append({ type: "MetaSet", payload: { key, value: "1" } });
  return workers.length;
}

const WORKERS = `
  SELECT id FROM sessions
   WHERE source = 'cli' AND (cwd = @prefix OR cwd LIKE @children ESCAPE '\\')
   ORDER BY id`;
