import { createSession } from "../commands/create-session.js";
import { firstRow } from "../rows.js";
import type { Patience, Store } from "../store.js";
import { keyArgument, textArgument } from "../values/arguments.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";
import { costArgument, usageCounters, type UsageOptions, type UsageReport } from "./usage-report.js";

/** How a report is booked. */
export interface RecordOptions {
  /** See {@link Store.write}. */
  readonly patience?: Patience | number;
  /** Called once the usage is in the file for good. */
  readonly committed?: () => void;
}

/** What auxiliary calls used: those beside the main loop of a session. */
export type AuxiliaryUsageOptions = Pick<
  UsageOptions,
  | "model"
  | "billing_provider"
  | "billing_base_url"
  | "input_tokens"
  | "output_tokens"
  | "cache_read_tokens"
  | "cache_write_tokens"
  | "reasoning_tokens"
  | "estimated_cost_usd"
>;

/**
 * Books usage on a session and on its row for the model. The session is made when it is not there, and gets the model
 * where it has none, in a transaction of its own: a crash between the two leaves the session without the usage, as if
 * the call had not been reported. Emits SessionCreated when that changes anything, and UsageRecorded.
 */
export function recordUsage(store: Store, report: UsageReport, options: RecordOptions = {}): void {
  const { patience = "routine", committed } = options;
  store.write((tx) => ensureSession(tx, report.session_id, report.model), patience);
  store.write((tx) => {
    if (changesAnything(tx, report)) tx.append({ type: "UsageRecorded", payload: report });
    if (committed !== undefined) tx.afterCommit(committed);
  }, patience);
}

/**
 * Books one auxiliary call on the row for its model and task, never on the session, which is made when it is not there
 * (in a transaction of its own, as in {@link recordUsage}). Without an id or a task nothing happens. Emits
 * SessionCreated when that changes anything, and UsageRecorded.
 */
export function recordAuxiliaryUsage(
  store: Store,
  sessionId: string,
  task: string,
  options: AuxiliaryUsageOptions = {},
): void {
  if (!isTruthy(sessionId) || !isTruthy(task)) return;
  const session_id = keyArgument(sessionId, "session_id");
  const usage = {
    session_id,
    mode: "auxiliary",
    task: keyArgument(task, "task"),
    counters: { ...usageCounters({ ...options, api_call_count: 1 }) },
    estimated_cost_usd: costArgument(options.estimated_cost_usd, "estimated_cost_usd"),
    model: textArgument(options.model, "model"),
    billing_provider: textArgument(options.billing_provider, "billing_provider"),
    billing_base_url: textArgument(options.billing_base_url, "billing_base_url"),
  } as const;
  store.write((tx) => ensureSession(tx, session_id, null));
  store.write((tx) => tx.append({ type: "UsageRecorded", payload: usage }));
}

function ensureSession(tx: WriteTransaction, session_id: string, model: string | null): void {
  createSession(tx, { session_id, source: "unknown", model }, "usage");
}

/** An empty report still turns an unknown estimate into 0. */
function changesAnything(tx: WriteTransaction, report: UsageReport): boolean {
  const { mode, counters, estimated_cost_usd, actual_cost_usd, cost_status, cost_source, pricing_version } = report;
  const empty =
    mode === "delta" &&
    !Object.values(counters).some(isTruthy) &&
    !isTruthy(estimated_cost_usd) &&
    [actual_cost_usd, cost_status, cost_source, pricing_version].every((value) => value === null);
  if (!empty) return true;
  const sql = "SELECT estimated_cost_usd FROM sessions WHERE id = ?";
  return firstRow<{ estimated_cost_usd: number | null }>(tx.db, sql, report.session_id)?.estimated_cost_usd === null;
}
