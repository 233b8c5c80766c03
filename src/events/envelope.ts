import type { EventPayloads, EventType } from "./catalogue.js";

/** Where an event came from: this store, a foreign writer's captured change, an import, an adoption, another node. */
export type Origin = "store" | "capture" | "import" | "adopt" | `replica:${string}`;

/** Free facts about an event: who did it, and what it answers. Kept in the header, hashed, and never erased. */
export interface EventMetadata {
  readonly actor?: string;
  readonly correlation_id?: string;
  readonly causation_id?: string;
  /** Any other fact. */
  readonly [key: string]: string | number | boolean | null | undefined;
}

/** What every event carries beside its type and payload. */
export interface Envelope {
  /** Place in the log: 1, 2, 3 … without gaps. */
  readonly position: number;
  /** Identity of the event and its idempotency key. */
  readonly event_id: string;
  /** The session id, or a `$`-prefixed name for what is no session. */
  readonly stream_id: string;
  /** Place in the stream: 1, 2, 3 … */
  readonly stream_version: number;
  /** Payload version as given to the reader: always the newest, since old payloads are upcast. */
  readonly schema_version: number;
  /** Epoch seconds of the commit; informative, the payload's times count. */
  readonly recorded_at: number;
  readonly origin: Origin;
  readonly metadata: EventMetadata | null;
  /** SHA-256, 32 bytes; see the hash chain in the format description. */
  readonly hash: Uint8Array;
}

/** An event of the log with its payload. Switch on `type` to narrow `payload`. */
export type StoredEvent<T extends EventType = EventType> = {
  [K in T]: Envelope & { readonly type: K; readonly payload: EventPayloads[K]; readonly erased: false };
}[T];

/** An event whose payload was erased: its header and hash stay, replay skips it. */
export interface ErasedEvent extends Envelope {
  readonly type: EventType;
  readonly payload: null;
  readonly erased: true;
}

/** What reading the log yields. */
export type LogEvent = StoredEvent | ErasedEvent;
