/**
 * What the log means: one projection per documented table or family, the projector that runs them, replay, comparison,
 * and the in-memory fold.
 */
export { documentedProjections, schemaStatements } from "./catalogue.js";
export { compareTables, OPERATIONAL_META } from "./compare.js";
export type { Difference, TableComparison } from "./compare.js";
export { messagesFtsCjk, messagesIndexes } from "./messages-fts.js";
export type { MessagesIndex } from "./messages-fts.js";
export { projectionFingerprint } from "./projection.js";
export type { Projection } from "./projection.js";
export { exactNumber, exactNumbers, withNames } from "./projection-sql.js";
export type { NameOf, SqlRow, SqlValue } from "./projection-sql.js";
export { projector } from "./projector.js";
export { createTables, replay } from "./replay.js";
export type { Progress, RunControl } from "./replay.js";
export type { Table } from "./table.js";
