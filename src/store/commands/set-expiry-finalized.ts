import { firstRow } from "../rows.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";

/** Notes whether the gateway is done with an expired session. Emits SessionFlagsSet when that changes. */
export function setExpiryFinalized(tx: WriteTransaction, session_id: string, finalized: boolean): void {
  const value = isTruthy(finalized);
  const sql = "SELECT 1 FROM sessions WHERE id = ? AND expiry_finalized IS NOT ?";
  if (firstRow(tx.db, sql, session_id, value ? 1 : 0) === undefined) return;
  tx.append({ type: "SessionFlagsSet", payload: { session_id, flag: "expiry_finalized", value } });
}
