/**
 * The log folded in memory: an implementation of what events mean that shares nothing with the one in SQL.
 *
 * @packageDocumentation
 */
export { emptyState, fold, foldEvent, foldWithPatches } from "./fold.js";
export type { FoldStep } from "./fold.js";
export { foldTableNames, tableRows } from "./rows.js";
export { foldSession } from "./session.js";
export type { SessionState } from "./session.js";
export type { FoldTableName } from "./columns.js";
export type { LedgerState } from "./state.js";
