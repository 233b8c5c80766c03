import type { Database } from "better-sqlite3";
import { allRows } from "../rows.js";

/** The routing entries of a scope: JSON text by session key. */
export function loadGatewayRoutingEntries(db: Database, scope: string): Record<string, string> {
  const sql = "SELECT session_key, entry_json FROM gateway_routing WHERE scope = ? ORDER BY session_key";
  const rows = allRows<{ session_key: string; entry_json: string }>(db, sql, scope);
  return Object.fromEntries(rows.map(({ session_key, entry_json }) => [session_key, entry_json]));
}
