import { foldTables, newRow, setColumns, type Fields } from "./columns.js";
import type { FoldHandlers, LedgerDraft } from "./state.js";

/** What the events of background delegations mean. */
export const delegationHandlers = {
  DelegationDispatched: (state, { fields }) => {
    const row = newRow(foldTables.async_delegations, { ...fields, state: "running" });
    state.async_delegations.set(fields.delegation_id, row);
    state.async_delegations_origin = true;
  },
  DelegationCompleted: (state, { delegation_id, ...fields }) => {
    updateDelegation(state, delegation_id, { ...fields, delivery_state: "pending" });
  },
  DelegationDeliveryChanged: (state, { delegation_id, fields }) => {
    updateDelegation(state, delegation_id, fields);
  },
  DelegationsRemoved: (state, { delegation_ids }) => {
    for (const id of delegation_ids) state.async_delegations.delete(id);
  },
} satisfies FoldHandlers;

function updateDelegation(state: LedgerDraft, id: string, fields: Fields): void {
  const row = state.async_delegations.get(id);
  if (row !== undefined) setColumns(foldTables.async_delegations, row, fields);
}
