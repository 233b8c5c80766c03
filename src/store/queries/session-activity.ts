import type { Database } from "better-sqlite3";
import { activityDescription, activityProvenance } from "../values/activity-labels.js";
import { roundHalfEven } from "../values/numbers.js";
import { sessionRow } from "./session-row.js";

/** The last sign of life of a running session; each label stands under all its documented names. */
export interface SessionActivity {
  /** Epoch seconds, or null when there was none. */
  readonly last_activity_at: number | null;
  readonly last_activity_description: string;
  readonly last_activity_provenance: string;
  /** Rounded to tenths; null without an activity. */
  readonly seconds_since_activity: number | null;
  readonly last_activity_ts: number | null;
  readonly last_activity_desc: string;
  readonly description: string;
  readonly provenance: string;
}

/** What a session did last, `now` being the clock in epoch seconds; null for an unknown session. */
export function getSessionActivity(db: Database, sessionId: string, now: number): SessionActivity | null {
  const row = sessionId ? sessionRow(db, sessionId) : null;
  if (row === null) return null;
  const at = row.last_activity_at;
  const description = activityDescription(row.last_activity_description);
  const provenance = activityProvenance(row.last_activity_provenance);
  return {
    last_activity_at: at,
    last_activity_description: description,
    last_activity_provenance: provenance,
    seconds_since_activity: at === null ? null : roundHalfEven(now - at, 1),
    last_activity_ts: at,
    last_activity_desc: description,
    description,
    provenance,
  };
}
