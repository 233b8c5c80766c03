import { type Draft, freeze } from "immer";
import type { EventPayloads, EventType } from "../../events/index.js";
import type { FoldRow, foldTables, FoldTableName } from "./columns.js";

/** A row of a table the fold keeps: all its columns, in the form in which SQLite returns them. */
export type RowIn<T extends FoldTableName> = Readonly<FoldRow<(typeof foldTables)[T]>>;

/** Key of a message in the state: its id, or the id's decimal text where a number would not be exact. */
export type MessageKey = number | string;

/**
 * The documented tables as plain immutable data: what the events up to `position` made of an empty store. Text keys
 * of the maps are the key columns' text itself; `session_model_usage` is keyed by session and then by the JSON text
 * of its other key columns.
 */
export interface LedgerState {
  /** Position of the last folded event; 0 before the first. */
  readonly position: number;
  /** The highest message id ever given out (`sqlite_sequence`); 0 before the first message. */
  readonly message_sequence: number | bigint;
  /** By id, in order of insertion. */
  readonly sessions: ReadonlyMap<string, RowIn<"sessions">>;
  /** By session id, then by message id. A session without messages has no entry. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<MessageKey, RowIn<"messages">>>;
  /** Session id of every message, in blocks of neighbouring ids; see `sessionOfMessage`. */
  readonly message_sessions: ReadonlyMap<number, ReadonlyMap<MessageKey, string>>;
  /** By session id, then by the other key columns. */
  readonly session_model_usage: ReadonlyMap<string, ReadonlyMap<string, RowIn<"session_model_usage">>>;
  readonly state_meta: ReadonlyMap<string, RowIn<"state_meta">>;
  /** By scope, then by session key. */
  readonly gateway_routing: ReadonlyMap<string, ReadonlyMap<string, RowIn<"gateway_routing">>>;
  readonly compression_locks: ReadonlyMap<string, RowIn<"compression_locks">>;
  readonly async_delegations: ReadonlyMap<string, RowIn<"async_delegations">>;
  /** Whether the table has its column `origin_session_id`, which comes with the first dispatch. */
  readonly async_delegations_origin: boolean;
  /** Null until the first Telegram event. */
  readonly telegram_dm_topic_mode: ReadonlyMap<string, RowIn<"telegram_dm_topic_mode">> | null;
  /** By chat, then by thread; null until the first Telegram event. */
  readonly telegram_dm_topic_bindings: ReadonlyMap<
    string,
    ReadonlyMap<string, RowIn<"telegram_dm_topic_bindings">>
  > | null;
}

/** The state while events change it. */
export type LedgerDraft = Draft<LedgerState>;

/** A state before the first event, owned by the caller. */
export function freshState(): LedgerDraft {
  return {
    position: 0,
    message_sequence: 0,
    sessions: new Map(),
    messages: new Map(),
    message_sessions: new Map(),
    session_model_usage: new Map(),
    state_meta: new Map(),
    gateway_routing: new Map(),
    compression_locks: new Map(),
    async_delegations: new Map(),
    async_delegations_origin: false,
    telegram_dm_topic_mode: null,
    telegram_dm_topic_bindings: null,
  };
}

/** Freezes a state deeply and returns it. Faster than a deep freeze that does not know that rows are flat. */
export function frozenState(state: LedgerDraft): LedgerState {
  for (const value of Object.values<unknown>({ ...state })) freezeValue(value);
  return Object.freeze(state);
}

function freezeValue(value: unknown): void {
  if (!(value instanceof Map)) {
    if (typeof value === "object") Object.freeze(value);
    return;
  }
  for (const entry of value.values()) freezeValue(entry);
  freeze(value);
}

/** What one event type does to the state: a pure function of the event and of what earlier events made. */
export type FoldHandler<T extends EventType> = (state: LedgerDraft, payload: EventPayloads[T]) => void;

/** Handlers of a family of events. */
export type FoldHandlers = { readonly [T in EventType]?: FoldHandler<T> };

/** The map under `key`, made if it is not there. */
export function innerMap<K, InnerK, V>(outer: Map<K, Map<InnerK, V>>, key: K): Map<InnerK, V> {
  const found = outer.get(key);
  if (found !== undefined) return found;
  const made = new Map<InnerK, V>();
  outer.set(key, made);
  return made;
}

/** Removes an entry of an inner map, and the inner map with its last entry. */
export function removeInner<K, InnerK, V>(outer: Map<K, Map<InnerK, V>>, key: K, innerKey: InnerK): void {
  const inner = outer.get(key);
  if (inner?.delete(innerKey) === true && inner.size === 0) outer.delete(key);
}
