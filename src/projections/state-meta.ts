import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import { defineTable, text } from "./table.js";

/** Table `state_meta`: settings and markers of the store, by key. */
export const stateMeta = defineTable({
  name: "state_meta",
  columns: { key: text({ clause: "PRIMARY KEY" }), value: text() },
  key: ["key"],
});

/** What events mean for `state_meta`. The markers of index maintenance are written beside the log. */
export const stateMetaProjection: Projection = {
  name: "state_meta",
  version: 1,
  tables: [stateMeta],
  on: {
    MetaSet: (sql, { payload }) => {
      sql.run(
        `INSERT INTO {state_meta} (key, value) VALUES (@key, @value)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
        payload,
      );
    },
    RowCaptured: capturedRows(stateMeta),
  },
};
