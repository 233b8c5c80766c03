import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import { defineTable, integer } from "./table.js";

/** The version of the documented schema that this package makes and writes. */
export const SCHEMA_VERSION = 23;

/** Table `schema_version`: one row is expected, nothing enforces it. */
export const schemaVersion = defineTable({
  name: "schema_version",
  columns: { version: integer({ notNull: true }) },
  key: [],
});

/** The version row belongs to the schema: a fresh file has it before the first event. */
export const schemaVersionProjection: Projection = {
  name: "schema_version",
  version: 1,
  tables: [schemaVersion],
  initial: [`INSERT INTO {schema_version} (version) VALUES (${SCHEMA_VERSION})`],
  on: { RowCaptured: capturedRows(schemaVersion) },
};
