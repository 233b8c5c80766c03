import type { Database } from "better-sqlite3";
import type { AsyncDelegationRow } from "../../projections/async-delegations.js";
import { allRows, firstRow } from "../rows.js";

/** A delegation as it stands in the table, or undefined. */
export function delegationRow(db: Database, delegationId: string): AsyncDelegationRow | undefined {
  // SELECT *: a column of the table is only there once something was dispatched.
  return firstRow<AsyncDelegationRow>(db, "SELECT * FROM async_delegations WHERE delegation_id = ?", delegationId);
}

/** Delegations that run, as far as their rows tell. */
export function runningDelegations(db: Database): AsyncDelegationRow[] {
  return allRows<AsyncDelegationRow>(
    db,
    "SELECT * FROM async_delegations WHERE state IN ('running', 'finalizing') ORDER BY delegation_id",
  );
}

/** Finished delegations whose result nobody has received, the earliest completed first. */
export function undeliveredDelegations(db: Database): AsyncDelegationRow[] {
  return allRows<AsyncDelegationRow>(
    db,
    `SELECT * FROM async_delegations
      WHERE state <> 'running' AND delivery_state = 'pending' AND event_json IS NOT NULL
      ORDER BY completed_at, delegation_id`,
  );
}

/** Ids of the finished delegations to forget at `now` (epoch seconds): old delivered ones, then those above the limits. */
export function prunableDelegations(db: Database, now: number): string[] {
  const finished = allRows<{ delegation_id: string; delivery_state: string; updated_at: number }>(
    db,
    `SELECT delegation_id, delivery_state, updated_at FROM async_delegations
      WHERE state NOT IN ('running', 'finalizing')
      ORDER BY delivery_state = 'delivered' DESC, updated_at, delegation_id`,
  );
  const old = finished.filter((row) => row.delivery_state === "delivered" && row.updated_at < now - KEEP_SECONDS);
  const kept = finished.filter((row) => !old.includes(row));
  const excess = kept.slice(0, Math.max(0, kept.length - MAX_FINISHED));
  const pending = kept.slice(excess.length).filter((row) => row.delivery_state === "pending");
  const overdue = pending.slice(0, Math.max(0, pending.length - MAX_PENDING));
  return [...old, ...excess, ...overdue].map((row) => row.delegation_id);
}

const KEEP_SECONDS = 7 * 86_400;
const MAX_FINISHED = 50;
const MAX_PENDING = 1000;
