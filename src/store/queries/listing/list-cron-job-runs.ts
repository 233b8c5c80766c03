import type { Database } from "better-sqlite3";
import { allRows } from "../../rows.js";
import { codePointLength } from "../../values/text.js";
import { getSessionRichRow, type RichRow } from "./rich-row.js";

const SQL = `SELECT id FROM sessions
   WHERE source = 'cron' AND id >= @prefix AND substr(id, 1, @length) = @prefix
   ORDER BY started_at DESC, id DESC LIMIT @limit OFFSET @offset`;

/** The runs of a scheduled job, the latest first. A job `a` also finds the runs of a job `a_b`: ids do not tell them apart. */
export function listCronJobRuns(
  db: Database,
  jobId: string,
  options: { readonly limit?: number | undefined; readonly offset?: number | undefined } = {},
): RichRow[] {
  const { limit = 20, offset = 0 } = options;
  const prefix = `cron_${jobId}_`;
  const rows = allRows<{ id: string }>(db, SQL, { prefix, length: codePointLength(prefix), limit, offset });
  return rows.flatMap(({ id }) => getSessionRichRow(db, id) ?? []);
}
