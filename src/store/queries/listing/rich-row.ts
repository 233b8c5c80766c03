import type { Database } from "better-sqlite3";
import { sessions, type SessionRow } from "../../../projections/sessions.js";
import { PREVIEW_CONTENT_SQL, previewOf } from "../../messages/preview.js";
import { allRows, firstRow } from "../../rows.js";
import { LAST_ACTIVE_SQL } from "../last-active.js";

/** A session as lists show it. Compact rows have no `system_prompt`. */
export interface RichRow extends Omit<SessionRow, "system_prompt"> {
  readonly system_prompt?: string | null;
  /** Epoch seconds of the last heartbeat or message, whichever is later; the start where there is neither. */
  readonly last_active: number;
  /** How the conversation begins: at most 60 characters and `...`. */
  readonly preview: string;
  /** For a conversation that went on after compression and is shown as its newest part: the id of the first part. */
  readonly _lineage_root_id?: string;
}

/** A session row with when it was last active, as {@link searchSessions} gives it. */
export interface ActiveSessionRow extends SessionRow {
  /** Epoch seconds; see {@link RichRow}. */
  readonly last_active: number;
}

const COLUMNS = Object.keys(sessions.columns).map((column) => `s.${column}`);
const COMPACT_COLUMNS = COLUMNS.filter((column) => column !== "s.system_prompt");

const richSql = (columns: readonly string[]): string =>
  `SELECT ${columns.join(", ")}, ${LAST_ACTIVE_SQL} AS last_active, ${PREVIEW_CONTENT_SQL} AS preview
     FROM sessions s WHERE s.id = ?`;
const RICH_SQL = richSql(COLUMNS);
const COMPACT_SQL = richSql(COMPACT_COLUMNS);

/** A session as lists show it, or null when there is none of that id. */
export function getSessionRichRow(
  db: Database,
  sessionId: string,
  options: { readonly compact_rows?: boolean | undefined } = {},
): RichRow | null {
  const sql = options.compact_rows === true ? COMPACT_SQL : RICH_SQL;
  const row = firstRow<RichRow & { readonly preview: string | null }>(db, sql, sessionId);
  return row === undefined ? null : { ...row, preview: previewOf(row.preview) };
}

/** The rows of sessions with `last_active`, in the order of `ids`. */
export function activeSessionRows(db: Database, ids: readonly string[]): ActiveSessionRow[] {
  return allRows<ActiveSessionRow>(
    db,
    `SELECT ${COLUMNS.join(", ")}, ${LAST_ACTIVE_SQL} AS last_active
       FROM json_each(?) wanted JOIN sessions s ON s.id = wanted.value ORDER BY wanted.key`,
    JSON.stringify(ids),
  );
}
