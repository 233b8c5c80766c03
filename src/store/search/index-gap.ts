import type { Database } from "better-sqlite3";
import { strip } from "../values/text.js";
import { statement } from "../statements.js";
import { SPACE } from "./character-classes.js";

/** The ids that the base and trigram indexes do not hold yet: `after < id <= up_to`. */
export type IndexGap = { readonly after: number; readonly up_to: number };

// CAST is what the index triggers use, so that this is exactly the range of rows they left out.
const GAP_SQL = `
SELECT CAST(high.value AS INTEGER) AS up_to,
  coalesce((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = @prefix || 'rebuild_progress'), 0) AS after
FROM state_meta AS high
WHERE high.key = @prefix || 'rebuild_high_water' AND CAST(high.value AS INTEGER) > 0`;

const PIECE = new RegExp(`"[^"]+"|[^${SPACE}]+`, "gu");

/**
 * The rows an unfinished rebuild of the indexes has not come to, or null when no rebuild is pending. `prefix` names the
 * markers: those of the base and trigram indexes, or of the CJK index.
 *
 * @throws SqliteError for any failure of the database.
 */
export function indexGap(db: Database, prefix: "fts_" | "fts_cjk_" = "fts_"): IndexGap | null {
  return statement<IndexGap>(db, GAP_SQL).safeIntegers(false).get({ prefix }) ?? null;
}

/** The substrings a scan of the gap looks for: words and phrases of the sanitised query, without operators. */
export function gapTerms(sanitized: string): string[] {
  return (sanitized.match(PIECE) ?? [])
    .map((piece) => strip(piece.replace(/^"+|"+$/g, "").replace(/^\*+|\*+$/g, "")))
    .filter((term) => term !== "" && !/^(?:AND|OR|NOT|NEAR)$/i.test(term));
}
