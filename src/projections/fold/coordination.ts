import { foldTables, newRow } from "./columns.js";
import { TELEGRAM_SCHEMA_MARKER } from "../telegram-topics.js";
import { innerMap, removeInner, type FoldHandlers } from "./state.js";
import { telegramTables } from "./telegram.js";

/** What the events of gateway routes, compression locks and store metadata mean. */
export const coordinationHandlers = {
  GatewayRoutesChanged: (state, { scope, replace_all, removed, entries, updated_at }) => {
    if (replace_all) state.gateway_routing.delete(scope);
    for (const session_key of removed) removeInner(state.gateway_routing, scope, session_key);
    for (const [session_key, entry_json] of entries) {
      const row = newRow(foldTables.gateway_routing, { scope, session_key, entry_json, updated_at });
      innerMap(state.gateway_routing, scope).set(session_key, row);
    }
  },
  CompressionLockChanged: (state, lock) => {
    if (lock.holder === null) state.compression_locks.delete(lock.session_id);
    else state.compression_locks.set(lock.session_id, newRow(foldTables.compression_locks, lock));
  },
  MetaSet: (state, { key, value }) => {
    state.state_meta.set(key, newRow(foldTables.state_meta, { key, value }));
    if (key === TELEGRAM_SCHEMA_MARKER) telegramTables(state);
  },
} satisfies FoldHandlers;
