import type { AsyncDelegationRow } from "../../projections/async-delegations.js";
import { isProvablyGone, processStart } from "../processes/process-liveness.js";
import { textArgument } from "../values/arguments.js";
import { toFloat } from "../values/numbers.js";
import { toPythonJson } from "../values/python-json.js";
import type { WriteTransaction } from "../write-transaction.js";
import { parseJsonObject } from "./parse-json-object.js";
import { delegationRow, prunableDelegations, runningDelegations } from "./delegation-rows.js";

/** What is handed out: who asked, and the task. */
export interface DelegationRecord {
  readonly delegation_id: string;
  /** Routing key of the conversation that asked. */
  readonly session_key?: string | null | undefined;
  readonly origin_ui_session_id?: string | null | undefined;
  readonly origin_session_id?: string | null | undefined;
  readonly parent_session_id?: string | null | undefined;
  /** Epoch seconds. */
  readonly dispatched_at: number;
  readonly goal?: unknown;
  readonly goals?: unknown;
  readonly context?: unknown;
  readonly toolsets?: unknown;
  readonly role?: unknown;
  readonly model?: unknown;
  readonly is_batch?: unknown;
}

const TASK_KEYS = ["goal", "goals", "context", "toolsets", "role", "model", "is_batch"] as const;
const LOST = "Delegation owner exited before recording a terminal result; outcome unknown.";

/** Notes a delegation as running for process `pid`, from the start when it was there before. Emits DelegationDispatched. */
export function persistDispatch(tx: WriteTransaction, record: DelegationRecord, pid: number): void {
  const task = Object.fromEntries(
    TASK_KEYS.filter((key) => record[key] !== undefined).map((key) => [key, record[key]]),
  );
  tx.append({
    type: "DelegationDispatched",
    payload: {
      fields: {
        delegation_id: record.delegation_id,
        origin_session: textArgument(record.session_key, "session_key") ?? "",
        origin_ui_session_id: textArgument(record.origin_ui_session_id, "origin_ui_session_id") ?? "",
        // A table that the delegation writer itself made does not take NULL here.
        origin_session_id: textArgument(record.origin_session_id, "origin_session_id") ?? "",
        parent_session_id: textArgument(record.parent_session_id, "parent_session_id"),
        dispatched_at: toFloat(record.dispatched_at) ?? tx.now(),
        updated_at: tx.now(),
        owner_pid: pid,
        owner_started_at: processStart(pid),
        task_json: toPythonJson(task),
      },
    },
  });
  pruneDurableRecords(tx);
}

/** Forgets finished delegations that are old or too many. Emits DelegationsRemoved. */
export function pruneDurableRecords(tx: WriteTransaction): void {
  const delegation_ids = prunableDelegations(tx.db, tx.now());
  if (delegation_ids.length > 0) tx.append({ type: "DelegationsRemoved", payload: { delegation_ids } });
}

/** Forgets one delegation. Emits DelegationsRemoved. */
export function deleteDurableDelegation(tx: WriteTransaction, delegationId: string): void {
  if (delegationRow(tx.db, delegationId) === undefined) return;
  tx.append({ type: "DelegationsRemoved", payload: { delegation_ids: [delegationId] } });
}

/** What a delegation came to. */
export interface CompletionEvent {
  readonly delegation_id: string;
  readonly status?: string | null | undefined;
  /** Epoch seconds. */
  readonly completed_at?: number | null | undefined;
  readonly [key: string]: unknown;
}

/** Notes the end of a known delegation; its result waits for delivery. Emits DelegationCompleted. */
export function persistCompletion(tx: WriteTransaction, event: CompletionEvent, result: unknown): void {
  if (delegationRow(tx.db, event.delegation_id) === undefined) return;
  const now = tx.now();
  tx.append({
    type: "DelegationCompleted",
    payload: {
      delegation_id: event.delegation_id,
      state: textArgument(event.status, "status") ?? "completed",
      completed_at: toFloat(event.completed_at) ?? now,
      updated_at: now,
      event_json: toPythonJson(event),
      result_json: toPythonJson(result),
    },
  });
}

/** Ends the delegations whose process is gone; their outcome is unknown. Returns how many. Emits DelegationCompleted. */
export function recoverAbandonedDelegations(tx: WriteTransaction): number {
  const abandoned = runningDelegations(tx.db).filter(isAbandoned);
  for (const row of abandoned) {
    const now = tx.now();
    tx.append({
      type: "DelegationCompleted",
      payload: {
        delegation_id: row.delegation_id ?? "",
        state: "unknown",
        completed_at: now,
        updated_at: now,
        event_json: toPythonJson(lostEvent(row, now)),
        result_json: toPythonJson({ status: "unknown", summary: null, error: LOST }),
      },
    });
  }
  return abandoned.length;
}

function lostEvent(row: AsyncDelegationRow, now: number): Record<string, unknown> {
  const task = parseJsonObject(row.task_json, { keepFloats: true }) ?? {};
  return {
    type: "async_delegation",
    delegation_id: row.delegation_id,
    session_key: row.origin_session,
    origin_ui_session_id: row.origin_ui_session_id,
    origin_session_id: row.origin_session_id ?? "",
    parent_session_id: row.parent_session_id,
    goal: task["goal"] ?? null,
    goals: task["goals"] ?? null,
    context: task["context"] ?? null,
    toolsets: task["toolsets"] ?? null,
    role: task["role"] ?? null,
    model: task["model"] ?? null,
    is_batch: task["is_batch"] ?? false,
    status: "unknown",
    summary: null,
    error: LOST,
    dispatched_at: row.dispatched_at,
    completed_at: now,
  };
}

/** Whether the owner is missing, gone, or another process that got the same id. */
function isAbandoned(row: AsyncDelegationRow): boolean {
  if (row.owner_pid === null) return true;
  if (isProvablyGone(row.owner_pid)) return true;
  const start = processStart(row.owner_pid);
  return start !== null && row.owner_started_at !== null && start !== row.owner_started_at;
}
