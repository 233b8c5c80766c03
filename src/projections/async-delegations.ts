import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import type { ProjectionSql } from "./projection-sql.js";
import { deleteRow, insertRow, updateRow } from "./row-changes.js";
import { addColumnSql, defineTable, integer, real, text, type RowOf } from "./table.js";

/** Table `async_delegations`: background delegations and the delivery of their results. */
export const asyncDelegations = defineTable({
  name: "async_delegations",
  columns: {
    delegation_id: text({ clause: "PRIMARY KEY" }),
    /** Routing key of the conversation that asked; not a session id. */
    origin_session: text({ notNull: true }),
    origin_ui_session_id: text({ notNull: true, default: "" }),
    parent_session_id: text(),
    state: text({ notNull: true }),
    dispatched_at: real({ notNull: true }),
    completed_at: real(),
    updated_at: real({ notNull: true }),
    event_json: text(),
    result_json: text(),
    /** `pending`, `delivered` or `dropped`. */
    delivery_state: text({ notNull: true, default: "pending" }),
    delivery_attempts: integer({ notNull: true, default: 0 }),
    delivered_at: real(),
    owner_pid: integer(),
    /** Start time of the owning process, so that a reused process id is noticed. */
    owner_started_at: integer(),
    task_json: text(),
    delivery_claim: text(),
    delivery_claimed_at: real(),
    /** Added by the first dispatch. */
    origin_session_id: text({ onDemand: true }),
  },
  key: ["delegation_id"],
  indexes: { idx_async_delegations_delivery: "{async_delegations}(delivery_state, completed_at)" },
});

type AllColumns = RowOf<typeof asyncDelegations>;

/** A row of `async_delegations`; `origin_session_id` is absent until the first dispatch has added its column. */
export type AsyncDelegationRow = Omit<AllColumns, "origin_session_id"> & Partial<Pick<AllColumns, "origin_session_id">>;

/** What events mean for `async_delegations`. */
export const asyncDelegationsProjection: Projection = {
  name: "async_delegations",
  version: 1,
  tables: [asyncDelegations],
  on: {
    DelegationDispatched: (sql, { payload: { fields } }) => {
      ensureOriginColumn(sql);
      deleteRow(sql, asyncDelegations, { delegation_id: fields.delegation_id });
      insertRow(sql, asyncDelegations, {
        ...fields,
        state: "running",
        delivery_state: "pending",
        delivery_attempts: 0,
      });
    },
    DelegationCompleted: (sql, { payload: { delegation_id, ...fields } }) => {
      updateRow(sql, asyncDelegations, { delegation_id }, { ...fields, delivery_state: "pending" });
    },
    DelegationDeliveryChanged: (sql, { payload: { delegation_id, fields } }) => {
      updateRow(sql, asyncDelegations, { delegation_id }, fields);
    },
    DelegationsRemoved: (sql, { payload }) => {
      for (const delegation_id of payload.delegation_ids) deleteRow(sql, asyncDelegations, { delegation_id });
    },
    RowCaptured: capturedRows(asyncDelegations, (sql, { values }) => {
      if (values !== null && "origin_session_id" in values) ensureOriginColumn(sql);
    }),
  },
};

function ensureOriginColumn(sql: ProjectionSql): void {
  const column = sql.get("SELECT 1 FROM pragma_table_info('{async_delegations}') WHERE name = 'origin_session_id'");
  if (column === undefined) sql.run(addColumnSql(asyncDelegations, "origin_session_id"));
}
