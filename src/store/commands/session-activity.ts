import { LedgerError } from "../../events/index.js";
import { firstRow } from "../rows.js";
import { activityDescription, activityProvenance } from "../values/activity-labels.js";
import { toFloat } from "../values/numbers.js";
import type { WriteTransaction } from "../write-transaction.js";

/** The time of an activity is neither a number nor numeric text. */
export class ActivityTimeError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(
      "validation",
      "ACTIVITY_TIME",
      `The time of an activity of session '${sessionId}' must be a number of epoch seconds. Nothing was written.`,
    );
    this.sessionId = sessionId;
  }
}

/** What a running session is doing. */
export interface ActivityOptions {
  /** Epoch seconds, as a number or as text; default: now. */
  readonly ts?: number | string | null | undefined;
  /** At most 120 characters are kept. */
  readonly description?: string | null | undefined;
  /** Who reports it. */
  readonly provenance?: string | null | undefined;
}

/**
 * Records that a session is still at work. The time only moves on: an earlier or equal one changes nothing. Emits
 * ActivityRecorded.
 *
 * @throws ActivityTimeError
 */
export function touchSessionActivity(tx: WriteTransaction, sessionId: string, options: ActivityOptions = {}): void {
  if (!sessionId) return;
  const when = options.ts === null || options.ts === undefined ? tx.now() : toFloat(options.ts);
  if (when === null) throw new ActivityTimeError(sessionId);
  // NaN is stored as NULL, and no time is before it.
  const at = Number.isNaN(when) ? null : when;
  if (firstRow(tx.db, MOVES_ON, sessionId, at) === undefined) return;
  const description = activityDescription(options.description);
  const provenance = activityProvenance(options.provenance);
  tx.append({ type: "ActivityRecorded", payload: { session_id: sessionId, at, description, provenance } });
}

/** Forgets what a session was doing and keeps when. Emits ActivityRecorded. */
export function clearSessionActivityLabels(tx: WriteTransaction, sessionId: string): void {
  if (firstRow(tx.db, LABELLED, sessionId) === undefined) return;
  const payload = { session_id: sessionId, at: null, description: "", provenance: "unknown" };
  tx.append({ type: "ActivityRecorded", payload });
}

const MOVES_ON = "SELECT 1 FROM sessions WHERE id = ? AND (last_activity_at IS NULL OR last_activity_at < ?)";
const LABELLED = `
  SELECT 1 FROM sessions
   WHERE id = ? AND (COALESCE(last_activity_description, '') <> ''
                     OR COALESCE(last_activity_provenance, '') NOT IN ('', 'unknown'))`;
