import { v4 as uuidv4 } from "uuid";
import type { Store } from "../store.js";
import { tryParsePythonJson } from "../values/python-json.js";
import { parseJsonObject } from "./parse-json-object.js";
import { delegationRow, undeliveredDelegations } from "./delegation-rows.js";
import {
  claimCompletionDelivery,
  completeCompletionDelivery,
  dropCompletionDelivery,
  markCompletionDelivered,
  noteDeliveryAttempt,
  releaseCompletionDelivery,
} from "./delivery.js";
import {
  deleteDurableDelegation,
  persistCompletion,
  persistDispatch,
  pruneDurableRecords,
  recoverAbandonedDelegations,
  type CompletionEvent,
  type DelegationRecord,
} from "./dispatch.js";

/** A delegation as its caller sees it. */
export interface DurableDelegation {
  readonly delegation_id: string;
  readonly origin_session: string;
  readonly state: string;
  /** Epoch seconds, as the next. */
  readonly dispatched_at: number;
  readonly completed_at: number | null;
  readonly result: unknown;
  readonly delivery_state: string;
  readonly delivery_attempts: number;
  readonly origin_session_id: string;
}

/** Where undelivered results go. */
export interface CompletionQueue {
  put(event: Record<string, unknown>): void;
}

/** Background delegations: what was handed out, what came of it, and whether the result was delivered. */
export interface Delegations {
  /** Notes a delegation as running in this process; one that was there begins anew. */
  persistDispatch(record: DelegationRecord): void;
  /** Forgets a delegation, for one that could not be scheduled. */
  deleteDurableDelegation(delegation_id: string): void;
  /** Forgets finished delegations: delivered ones after a week, and the oldest above 50. */
  pruneDurableRecords(): void;
  /** Notes the end of a known delegation; its result waits for delivery. */
  persistCompletion(event: CompletionEvent, result: unknown): void;
  /** Counts one attempt of a delivery. */
  noteDeliveryAttempt(delegation_id: string): void;
  /** Ends the delegations whose process is gone. Returns how many. */
  recoverAbandonedDelegations(): number;
  /** Recovers, then puts every undelivered result into the queue, marked `restored`. Returns how many. */
  restoreUndeliveredCompletions(queue: CompletionQueue): number;
  /** Takes the delivery of a result; a claim lasts 300 seconds. True for an unknown delegation. */
  claimCompletionDelivery(delegation_id: string, claim_id: string): boolean;
  /** Takes the delivery of an event for a consumer: the claim, `''` where none is needed, null where another has it. */
  claimEventDelivery(event: Readonly<Record<string, unknown>>, consumer: string): string | null;
  /** Gives a claim back; after eight attempts the result is dropped. Returns whether the claim was held. */
  releaseCompletionDelivery(delegation_id: string, claim_id: string): boolean;
  /** Drops a claimed result. Returns whether the claim was held. */
  dropCompletionDelivery(delegation_id: string, claim_id: string): boolean;
  /** Notes a claimed result as delivered. Returns whether the claim was held. */
  completeCompletionDelivery(delegation_id: string, claim_id: string): boolean;
  /** Notes a result as delivered, claimed or not. Returns false when it was before. */
  markCompletionDelivered(delegation_id: string): boolean;
  /** A delegation, or null. */
  getDurableDelegation(delegation_id: string): DurableDelegation | null;
}

/** The delegations of a store. */
export function delegationsOf(store: Store): Delegations {
  const claimCompletion = (id: string, claim: string): boolean =>
    store.write((tx) => claimCompletionDelivery(tx, id, claim));
  const recover = (): number => store.write((tx) => recoverAbandonedDelegations(tx));
  return {
    persistDispatch: (record) => store.write((tx) => persistDispatch(tx, record, store.pid)),
    deleteDurableDelegation: (id) => store.write((tx) => deleteDurableDelegation(tx, id)),
    pruneDurableRecords: () => store.write((tx) => pruneDurableRecords(tx)),
    persistCompletion: (event, result) => store.write((tx) => persistCompletion(tx, event, result)),
    noteDeliveryAttempt: (id) => store.write((tx) => noteDeliveryAttempt(tx, id)),
    recoverAbandonedDelegations: recover,
    restoreUndeliveredCompletions: (queue) => {
      recover();
      const rows = store.read(undeliveredDelegations);
      for (const { event_json } of rows) {
        const event = parseJsonObject(event_json);
        if (event !== null) queue.put({ ...event, restored: true });
      }
      return rows.length;
    },
    claimCompletionDelivery: claimCompletion,
    claimEventDelivery: (event, consumer) => {
      const id = event["delegation_id"];
      if (event["type"] !== "async_delegation" || typeof id !== "string" || id === "") return "";
      const claim = `${consumer}:${store.pid}:${uuidv4().replaceAll("-", "")}`;
      return claimCompletion(id, claim) ? claim : null;
    },
    releaseCompletionDelivery: (id, claim) => store.write((tx) => releaseCompletionDelivery(tx, id, claim)),
    dropCompletionDelivery: (id, claim) => store.write((tx) => dropCompletionDelivery(tx, id, claim)),
    completeCompletionDelivery: (id, claim) => store.write((tx) => completeCompletionDelivery(tx, id, claim)),
    markCompletionDelivered: (id) => store.write((tx) => markCompletionDelivered(tx, id)),
    getDurableDelegation: (id) => store.read((db) => durableDelegation(delegationRow(db, id))),
  };
}

function durableDelegation(row: ReturnType<typeof delegationRow>): DurableDelegation | null {
  if (row === undefined) return null;
  const result = row.result_json === null ? null : tryParsePythonJson(row.result_json);
  return {
    delegation_id: row.delegation_id ?? "",
    origin_session: row.origin_session,
    state: row.state,
    dispatched_at: row.dispatched_at,
    completed_at: row.completed_at,
    result: result?.ok === true ? result.value : null,
    delivery_state: row.delivery_state,
    delivery_attempts: row.delivery_attempts,
    origin_session_id: row.origin_session_id ?? "",
  };
}
