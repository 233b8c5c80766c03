import { allRows, firstRow } from "../rows.js";
import { keyArgument } from "../values/arguments.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";

/** Saves one routing entry; without a key or an entry nothing happens. Emits GatewayRoutesChanged. */
export function saveGatewayRoutingEntry(
  tx: WriteTransaction,
  sessionKey: string,
  entryJson: string,
  scope: string,
): void {
  if (!isTruthy(sessionKey) || !isTruthy(entryJson)) return;
  change(tx, scope, { entries: [entryOf(sessionKey, entryJson)] });
}

/**
 * Makes these the only routing entries of a scope; those with an empty key or value are left out. Emits
 * GatewayRoutesChanged, unless there was nothing and is nothing.
 */
export function replaceGatewayRoutingEntries(
  tx: WriteTransaction,
  entries: Readonly<Record<string, string>>,
  scope: string,
): void {
  const kept = Object.entries(entries).filter(([key, entry]) => isTruthy(key) && isTruthy(entry));
  const some = firstRow(tx.db, "SELECT 1 FROM gateway_routing WHERE scope = ?", keyArgument(scope, "scope"));
  if (kept.length === 0 && some === undefined) return;
  change(tx, scope, { replace_all: true, entries: kept.map(([key, entry]) => entryOf(key, entry)) });
}

/** Deletes routing entries; keys that have none are passed over. Emits GatewayRoutesChanged when there is one. */
export function deleteGatewayRoutingEntries(tx: WriteTransaction, sessionKeys: readonly string[], scope: string): void {
  const keys = JSON.stringify(sessionKeys.map((key) => keyArgument(key, "session_key")));
  const removed = allRows<{ session_key: string }>(tx.db, PRESENT, { scope: keyArgument(scope, "scope"), keys });
  if (removed.length > 0) change(tx, scope, { removed: removed.map(({ session_key }) => session_key) });
}

function entryOf(key: string, entry: string): [string, string] {
  return [keyArgument(key, "session_key"), keyArgument(entry, "entry_json")];
}

function change(
  tx: WriteTransaction,
  scope: string,
  parts: { entries?: [string, string][]; replace_all?: boolean; removed?: string[] },
): void {
  const { entries = [], replace_all = false, removed = [] } = parts;
  const updated_at = entries.length === 0 ? null : tx.now();
  tx.append({
    type: "GatewayRoutesChanged",
    payload: { scope: keyArgument(scope, "scope"), replace_all, removed, entries, updated_at },
  });
}

const PRESENT = `
  SELECT session_key FROM gateway_routing
   WHERE scope = @scope AND session_key IN (SELECT value FROM json_each(@keys))
   ORDER BY session_key`;
