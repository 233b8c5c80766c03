import type { EventPayloads, EventType, StoredEvent } from "../../events/index.js";
import type { AppendOptions, WriteTransaction } from "../write-transaction.js";
import type { EventInput } from "./event-input.js";

/**
 * The rules of one event type at the door. They hold for emitted events as for the events of the documented operations:
 * an event that could not have come from an operation is refused with the same error.
 */
export interface Rule<T extends EventType> {
  /**
   * Fills in what the store decides: ids, times, routes, counters. `known` is the payload of the stored event with the
   * same id, when there is one: what is left out is then taken from there.
   */
  complete(tx: WriteTransaction, input: EventInput<T>, known?: EventPayloads[T]): unknown;
  /** Throws when the rows do not allow the event. */
  admit(tx: WriteTransaction, payload: EventPayloads[T], options: AppendOptions): void;
  /** What else belongs to the event in the same transaction: erasing, for deletions. */
  after(tx: WriteTransaction, event: StoredEvent<T>): void;
}

/** A rule from the parts an event type needs; what is left out does nothing. */
export function rule<T extends EventType>(parts: Partial<Rule<T>>): Rule<T> {
  return { complete: (_tx, input) => input, admit: () => undefined, after: () => undefined, ...parts };
}
