import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import { defineTable, real, text } from "./table.js";

/** Table `gateway_routing`: the messaging gateway's routing entries, by scope and session key. */
export const gatewayRouting = defineTable({
  name: "gateway_routing",
  columns: {
    /** Resolved path of the sessions directory; empty by default. */
    scope: text({ notNull: true, default: "" }),
    session_key: text({ notNull: true }),
    entry_json: text({ notNull: true }),
    updated_at: real({ notNull: true }),
  },
  key: ["scope", "session_key"],
  constraints: ["PRIMARY KEY (scope, session_key)"],
});

/** What events mean for `gateway_routing`. */
export const gatewayRoutingProjection: Projection = {
  name: "gateway_routing",
  version: 1,
  tables: [gatewayRouting],
  on: {
    GatewayRoutesChanged: (sql, { payload }) => {
      const { scope, updated_at } = payload;
      if (payload.replace_all) sql.run("DELETE FROM {gateway_routing} WHERE scope = @scope", { scope });
      for (const session_key of payload.removed) {
        sql.run("DELETE FROM {gateway_routing} WHERE scope = @scope AND session_key = @session_key", {
          scope,
          session_key,
        });
      }
      for (const [session_key, entry_json] of payload.entries) {
        sql.run(
          `INSERT INTO {gateway_routing} (scope, session_key, entry_json, updated_at)
           VALUES (@scope, @session_key, @entry_json, @updated_at)
           ON CONFLICT (scope, session_key) DO UPDATE
           SET entry_json = excluded.entry_json, updated_at = excluded.updated_at`,
          { scope, session_key, entry_json, updated_at },
        );
      }
    },
    RowCaptured: capturedRows(gatewayRouting),
  },
};
