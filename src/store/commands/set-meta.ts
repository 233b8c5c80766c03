import { firstRow } from "../rows.js";
import { keyArgument, textArgument } from "../values/arguments.js";
import type { WriteTransaction } from "../write-transaction.js";

/** Sets a key of the store's metadata. Emits MetaSet when its value changes. */
export function setMeta(tx: WriteTransaction, key: string, value: string | null): void {
  const payload = { key: keyArgument(key, "key"), value: textArgument(value, "value") };
  const stored = firstRow<{ value: unknown }>(tx.db, "SELECT value FROM state_meta WHERE key = ?", payload.key);
  if (stored?.value !== payload.value) tx.append({ type: "MetaSet", payload });
}
