import { z } from "zod";
import { defineEvent } from "./definition.js";
import { key, scalar } from "./values.js";

const columns = z.record(z.string(), scalar.nullable());

export const rowCaptured = defineEvent(
  "RowCaptured",
  "Another program changed a row of a documented table; the log records the outcome.",
  z.strictObject({
    table: key,
    operation: z.enum(["insert", "update", "delete"]),
    /** Primary key of the row before the change, column by column. */
    key: columns,
    /** Every column after the change; null for a delete. */
    values: columns.nullable(),
  }),
).done((payload) => {
  const owner =
    payload.table === "sessions" ? payload.key["id"] : (payload.values?.["session_id"] ?? payload.key["session_id"]);
  return typeof owner === "string" ? owner : "$captured";
});
