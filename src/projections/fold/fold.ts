import { enableMapSet, enablePatches, Immer, type Patch } from "immer";
import type { EventType, LogEvent, StoredEvent } from "../../events/index.js";
import { capturedHandlers } from "./captured.js";
import { coordinationHandlers } from "./coordination.js";
import { delegationHandlers } from "./delegations.js";
import { messageHandlers } from "./messages.js";
import { sessionHandlers } from "./sessions.js";
import { freshState, frozenState, type FoldHandler, type LedgerDraft, type LedgerState } from "./state.js";
import { telegramHandlers } from "./telegram.js";
import { usageHandlers } from "./usage.js";

enableMapSet();
enablePatches();

// An instance of our own: settings that the surrounding program makes on immer do not reach it.
const immer = new Immer({ autoFreeze: true });

const handlers: { readonly [T in EventType]: FoldHandler<T> } = {
  ...sessionHandlers,
  ...messageHandlers,
  ...usageHandlers,
  ...coordinationHandlers,
  ...delegationHandlers,
  ...telegramHandlers,
  ...capturedHandlers,
};

/** What one event changed in the state: immer patches, whose paths are map keys and column names. */
export interface FoldStep {
  readonly state: LedgerState;
  /** Make the new state from the old one. */
  readonly patches: readonly Patch[];
  /** Make the old state from the new one; a row they bring back stands last in its map. */
  readonly inversePatches: readonly Patch[];
}

const empty = frozenState(freshState());

/** The state before the first event. */
export function emptyState(): LedgerState {
  return empty;
}

/**
 * The state after `events`, in the order given, on top of `from` (without it: the empty state). Nothing that is passed
 * in changes; what the events leave alone is shared with `from`. Erased events only move the position on. The result
 * is deeply frozen.
 */
export function fold(events: Iterable<LogEvent>, from?: LedgerState): LedgerState {
  // Nobody else holds a fresh state, so it needs no copy on write. Any other gets one draft for all events: a draft
  // copies each map it changes, which is too much to pay once per event.
  if (from === undefined) return frozenState(applyAll(freshState(), events));
  return immer.finishDraft(applyAll(immer.createDraft(from), events));
}

/**
 * The state after one more event. Costs a copy of each map that changes, at worst one with an entry per session; for
 * many events, {@link fold} is cheaper.
 */
export function foldEvent(state: LedgerState, event: LogEvent): LedgerState {
  return fold([event], state);
}

/** The state after one more event, with the patches that lead there and back. */
export function foldWithPatches(state: LedgerState, event: LogEvent): FoldStep {
  const [next, patches, inversePatches] = immer.produceWithPatches(state, (draft) => {
    if (!event.erased) apply(draft, event);
    draft.position = event.position;
  });
  return { state: next, patches, inversePatches };
}

function applyAll<State extends LedgerDraft>(state: State, events: Iterable<LogEvent>): State {
  let position = state.position;
  for (const event of events) {
    if (!event.erased) apply(state, event);
    position = event.position;
  }
  state.position = position;
  return state;
}

function apply<T extends EventType>(state: LedgerDraft, event: StoredEvent<T>): void {
  const handler: FoldHandler<T> = handlers[event.type];
  handler(state, event.payload);
}
