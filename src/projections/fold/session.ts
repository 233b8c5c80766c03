import type { LogEvent } from "../../events/index.js";
import { foldTables } from "./columns.js";
import { fold } from "./fold.js";
import { sortedByKey } from "./rows.js";
import type { RowIn } from "./state.js";

/** One session with what belongs to it. */
export interface SessionState {
  /** Its row, or null before it was created and after it was deleted. */
  readonly session: RowIn<"sessions"> | null;
  /** By id. */
  readonly messages: readonly RowIn<"messages">[];
  /** By model, route and task. */
  readonly usage: readonly RowIn<"session_model_usage">[];
}

/**
 * The state of one session after `events`: those of its stream, up to the point of interest. What happened to it from
 * outside its stream (its deletion or its parent's, in `$sessions`; rows that another program deleted, in `$captured`)
 * counts if those events are given too, in the order of the log; events of other streams do no harm.
 */
export function foldSession(events: Iterable<LogEvent>, sessionId: string): SessionState {
  const state = fold(events);
  const messages = [...(state.messages.get(sessionId)?.values() ?? [])];
  const usage = [...(state.session_model_usage.get(sessionId)?.values() ?? [])];
  return {
    session: state.sessions.get(sessionId) ?? null,
    messages: sortedByKey(foldTables.messages, messages),
    usage: sortedByKey(foldTables.session_model_usage, usage),
  };
}
