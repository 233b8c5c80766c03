import type { CompressionLockRow } from "../../projections/compression-locks.js";
import { isProvablyGone } from "../processes/process-liveness.js";
import { firstRow } from "../rows.js";
import { floatArgument, textArgument } from "../values/arguments.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";

/** Seconds a compression lock holds unless it is said otherwise. */
export const DEFAULT_LOCK_SECONDS = 300;

/** Who asks for a lock, and when. */
export interface LockRequest {
  /** The clock before the transaction began, epoch seconds. */
  readonly now: number;
  readonly ttl_seconds: number;
  /** Process id of the store: its own locks are never those of a dead process. */
  readonly pid: number;
}

/**
 * Takes the compression lock of a session, which need not exist: where there is none, it has run out, or its process is
 * gone. Returns whether `holder` has it now; a holder that has it already keeps its old time. Emits
 * CompressionLockChanged when it is taken.
 */
export function tryAcquireCompressionLock(
  tx: WriteTransaction,
  sessionId: string,
  holder: string | null,
  { now, ttl_seconds, pid }: LockRequest,
): boolean {
  const name = textArgument(holder, "holder");
  const expires_at = now + floatArgument(ttl_seconds, "ttl_seconds");
  if (!isTruthy(sessionId) || name === null || Number.isNaN(expires_at)) return false;
  const lock = lockOf(tx, sessionId);
  if (lock !== undefined && lock.expires_at >= now && !isAbandoned(lock.holder, pid)) return lock.holder === name;
  const payload = { session_id: sessionId, holder: name, acquired_at: now, expires_at };
  tx.append({ type: "CompressionLockChanged", payload });
  return true;
}

/**
 * Gives a lock new time, even one that has run out, as long as `holder` is still its holder. Returns whether it is.
 * Emits CompressionLockChanged.
 */
export function refreshCompressionLock(
  tx: WriteTransaction,
  sessionId: string,
  holder: string | null,
  ttl_seconds: number,
): boolean {
  const expires_at = tx.now() + floatArgument(ttl_seconds, "ttl_seconds");
  if (!isTruthy(sessionId) || !isTruthy(holder) || Number.isNaN(expires_at)) return false;
  const lock = lockOf(tx, sessionId);
  if (lock?.holder !== holder) return false;
  const payload = { session_id: sessionId, holder, acquired_at: lock.acquired_at, expires_at };
  if (expires_at !== lock.expires_at) tx.append({ type: "CompressionLockChanged", payload });
  return true;
}

/** Gives a lock back; somebody else's stays. Emits CompressionLockChanged when it was `holder`'s. */
export function releaseCompressionLock(tx: WriteTransaction, session_id: string, holder: string | null): void {
  if (lockOf(tx, session_id)?.holder !== holder) return;
  const payload = { session_id, holder: null, acquired_at: null, expires_at: null };
  tx.append({ type: "CompressionLockChanged", payload });
}

function lockOf(tx: WriteTransaction, sessionId: string): CompressionLockRow | undefined {
  const sql = "SELECT session_id, holder, acquired_at, expires_at FROM compression_locks WHERE session_id = ?";
  return firstRow<CompressionLockRow>(tx.db, sql, sessionId);
}

/** Whether the holder names a process that is gone for certain. */
function isAbandoned(holder: string, ownPid: number): boolean {
  const pid = Number(/(?:^|:)pid=(\d+)(?=:|$)/.exec(holder)?.[1] ?? 0);
  return pid !== ownPid && pid !== process.pid && isProvablyGone(pid);
}
