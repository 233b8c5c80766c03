import { createHash, randomFillSync } from "node:crypto";

/** The hash before the first event: 32 zero bytes. */
export const GENESIS_HASH: Uint8Array = new Uint8Array(32);

/** The header of an event: everything that stays readable after its payload was erased. */
export interface EventHeader {
  readonly position: number;
  readonly event_id: string;
  readonly stream_id: string;
  readonly stream_version: number;
  readonly type: string;
  readonly schema_version: number;
  readonly recorded_at: number;
  readonly origin: string;
  /** Metadata JSON text as stored, or null. */
  readonly metadata: string | null;
}

/** SHA-256 of salt and payload text. The salt keeps short erased payloads from being guessed. */
export function payloadHash(salt: Uint8Array, payload: string): Uint8Array {
  return createHash("sha256").update(salt).update(payload, "utf8").digest();
}

/** SHA-256 of the previous event's hash, this event's header and its payload hash. */
export function chainHash(previous: Uint8Array, header: EventHeader, payload_hash: Uint8Array): Uint8Array {
  return createHash("sha256").update(previous).update(headerText(header), "utf8").update(payload_hash).digest();
}

/** The header as it is hashed: a JSON array in fixed order. */
export function headerText(header: EventHeader): string {
  return JSON.stringify([
    header.position,
    header.event_id,
    header.stream_id,
    header.stream_version,
    header.type,
    header.schema_version,
    header.recorded_at,
    header.origin,
    header.metadata,
  ]);
}

const SALT_BYTES = 16;
const pool = new Uint8Array(SALT_BYTES * 256);
let used = pool.length;

/** 16 fresh random bytes. */
export function newSalt(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += SALT_BYTES;
  return pool.slice(used - SALT_BYTES, used);
}
