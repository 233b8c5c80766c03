import type { EventPayloads } from "../../events/index.js";
import type { AsyncDelegationRow } from "../../projections/async-delegations.js";
import type { WriteTransaction } from "../write-transaction.js";
import { delegationRow } from "./delegation-rows.js";

/** Seconds after which a claim that was not used is free again. */
const CLAIM_SECONDS = 300;
/** A result that could not be delivered so often is dropped. */
const MAX_ATTEMPTS = 8;

type Fields = Omit<EventPayloads["DelegationDeliveryChanged"]["fields"], "updated_at">;

/** Takes the delivery of a result. True when the claim is had, and for an unknown delegation. */
export function claimCompletionDelivery(tx: WriteTransaction, delegationId: string, claimId: string): boolean {
  const row = delegationRow(tx.db, delegationId);
  if (row === undefined) return true;
  const now = tx.now();
  const isFree = row.delivery_claim === null || (row.delivery_claimed_at ?? 0) < now - CLAIM_SECONDS;
  if (row.delivery_state !== "pending" || !isFree) return false;
  return change(tx, delegationId, {
    delivery_claim: claimId,
    delivery_claimed_at: now,
    delivery_attempts: row.delivery_attempts + 1,
  });
}

/** Gives a claim back; after too many attempts the result is dropped. Returns whether the claim was held. */
export function releaseCompletionDelivery(tx: WriteTransaction, delegationId: string, claimId: string): boolean {
  const row = claimed(tx, delegationId, claimId);
  if (row === undefined) return false;
  const given = row.delivery_attempts >= MAX_ATTEMPTS ? { delivery_state: "dropped" } : {};
  return change(tx, delegationId, { ...given, delivery_claim: null, delivery_claimed_at: null });
}

/** Drops a claimed result. Returns whether the claim was held. */
export function dropCompletionDelivery(tx: WriteTransaction, delegationId: string, claimId: string): boolean {
  if (claimed(tx, delegationId, claimId) === undefined) return false;
  return change(tx, delegationId, { delivery_state: "dropped", delivery_claim: null, delivery_claimed_at: null });
}

/** Notes a claimed result as delivered. Returns whether the claim was held. */
export function completeCompletionDelivery(tx: WriteTransaction, delegationId: string, claimId: string): boolean {
  if (claimed(tx, delegationId, claimId) === undefined) return false;
  return change(tx, delegationId, {
    delivery_state: "delivered",
    delivered_at: tx.now(),
    delivery_claim: null,
    delivery_claimed_at: null,
  });
}

/** Notes a result as delivered, claimed or not. Returns false when it was before. */
export function markCompletionDelivered(tx: WriteTransaction, delegationId: string): boolean {
  const row = delegationRow(tx.db, delegationId);
  if (row === undefined || row.delivery_state === "delivered") return false;
  return change(tx, delegationId, { delivery_state: "delivered", delivered_at: tx.now() });
}

/** Counts one attempt of a delivery. */
export function noteDeliveryAttempt(tx: WriteTransaction, delegationId: string): void {
  const row = delegationRow(tx.db, delegationId);
  if (row !== undefined) change(tx, delegationId, { delivery_attempts: row.delivery_attempts + 1 });
}

function claimed(tx: WriteTransaction, delegationId: string, claimId: string): AsyncDelegationRow | undefined {
  const row = delegationRow(tx.db, delegationId);
  return row?.delivery_state === "pending" && row.delivery_claim === claimId ? row : undefined;
}

function change(tx: WriteTransaction, delegation_id: string, fields: Fields): true {
  tx.append({
    type: "DelegationDeliveryChanged",
    payload: { delegation_id, fields: { ...fields, updated_at: tx.now() } },
  });
  return true;
}
