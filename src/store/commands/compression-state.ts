import { LedgerError, type EventPayloads } from "../../events/index.js";
import { getCooldownRow } from "../queries/compression-state.js";
import { sessionRow } from "../queries/session-row.js";
import { floatArgument, textArgument } from "../values/arguments.js";
import { integerColumn } from "../values/columns.js";
import { requireInt } from "../values/numbers.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";

/** A snapshot of a failure cooldown, to be restored; what is left out is NULL. */
export interface CooldownSnapshot {
  /** Whether the session was there. */
  readonly session_exists?: boolean | undefined;
  /** Epoch seconds. */
  readonly cooldown_until?: number | null | undefined;
  readonly error?: string | null | undefined;
}

/** The state to restore is that of a session that was not there, and now it is. */
export class CooldownSessionExistsError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("state", "COOLDOWN_SESSION_EXISTS", "cannot restore absent compression cooldown row: session now exists");
    this.sessionId = sessionId;
  }
}

/** The session whose cooldown is to be restored is gone. */
export class CooldownSessionMissingError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("state", "COOLDOWN_SESSION_MISSING", `compression cooldown rollback session missing: ${sessionId}`);
    this.sessionId = sessionId;
  }
}

type Fields = EventPayloads["CompressionStateSet"]["fields"];
type Counter = "compression_fallback_streak" | "compression_ineffective_count";

/** Until when a session is not compressed again, and why; both NULL end it. Emits CompressionStateSet. */
export function setCompressionFailureCooldown(
  tx: WriteTransaction,
  sessionId: string,
  cooldownUntil: number | null,
  error: string | null = null,
): void {
  setState(tx, sessionId, cooldownFields(cooldownUntil, error));
}

/**
 * Sets the cooldown back to what it was. Emits CompressionStateSet.
 *
 * @throws CooldownSessionExistsError, CooldownSessionMissingError
 */
export function restoreCompressionFailureCooldownRow(
  tx: WriteTransaction,
  sessionId: string,
  snapshot: CooldownSnapshot,
): void {
  const { session_exists } = getCooldownRow(tx.db, sessionId);
  if (!isTruthy(snapshot.session_exists)) {
    if (session_exists) throw new CooldownSessionExistsError(sessionId);
    return;
  }
  if (!session_exists) throw new CooldownSessionMissingError(sessionId);
  setState(tx, sessionId, cooldownFields(snapshot.cooldown_until ?? null, snapshot.error ?? null));
}

/**
 * Sets one of the compressor's counters; below zero is zero. Emits CompressionStateSet.
 *
 * @throws ValidationRefusal, RangeRefusal, IntegerRangeError
 */
export function setCompressionCounter(tx: WriteTransaction, sessionId: string, counter: Counter, value: unknown): void {
  const count = requireInt(value, counter);
  setState(tx, sessionId, { [counter]: count > 0 ? integerColumn(count, counter) : 0 });
}

function cooldownFields(until: number | null, error: string | null): Fields {
  const at = until === null ? null : floatArgument(until, "cooldown_until");
  return {
    compression_failure_cooldown_until: Number.isNaN(at) ? null : at,
    compression_failure_error: textArgument(error, "error"),
  };
}

function setState(tx: WriteTransaction, session_id: string, fields: Fields): void {
  const row: Readonly<Record<string, unknown>> | null = sessionRow(tx.db, session_id);
  if (row === null || Object.entries(fields).every(([column, value]) => row[column] === value)) return;
  tx.append({ type: "CompressionStateSet", payload: { session_id, fields } });
}
