/** How writes wait for each other; seconds and milliseconds as named. */
export const writeDefaults = {
  /** SQLite's own busy timeout. Short, so that waiting happens between attempts and not inside one. */
  busyTimeoutMs: 1000,
  /** Jitter of the pause between attempts while the wait is young. */
  retryMinMs: 20,
  retryMaxMs: 150,
  /** Jitter of the pause once the wait has lasted {@link writeDefaults.slowRetryAfterMs}. */
  slowRetryMinMs: 250,
  slowRetryMaxMs: 1000,
  slowRetryAfterMs: 2000,
  /** A write of at least routine patience gives up only after this many retries and when its patience is used up. */
  retries: 15,
  /** Seconds of patience by kind of write. */
  patience: { routine: 20, transcript: 60, activity: 0.5 },
  /** Seconds an append waits for another writer's compression lock. */
  compressionLockWait: 5,
  /** A PASSIVE checkpoint follows every so many successful writes. */
  checkpointEvery: 50,
} as const;

/** The clock and the pause of a retry loop, in milliseconds. */
export interface RetryTimer {
  elapsed(): number;
  sleep(ms: number): void;
}

const cell = new Int32Array(new SharedArrayBuffer(4));

/** A timer on the monotonic clock whose sleep blocks the thread, as the store itself does. */
export function blockingTimer(): RetryTimer {
  const start = performance.now();
  return { elapsed: () => performance.now() - start, sleep: (ms) => void Atomics.wait(cell, 0, 0, ms) };
}

/**
 * The pause before retry number `attempt` (0-based), or null when it is time to give up: both the documented retries
 * and the patience are used up. A patience below the routine one counts alone, and 0 never retries.
 */
export function retryPause(attempt: number, elapsedMs: number, patienceSeconds: number): number | null {
  const remaining = patienceSeconds * 1000 - elapsedMs;
  const retries = patienceSeconds < writeDefaults.patience.routine ? 0 : writeDefaults.retries;
  if (patienceSeconds === 0 || (remaining <= 0 && attempt >= retries)) return null;
  const slow = elapsedMs >= writeDefaults.slowRetryAfterMs;
  const [min, max] = slow
    ? [writeDefaults.slowRetryMinMs, writeDefaults.slowRetryMaxMs]
    : [writeDefaults.retryMinMs, writeDefaults.retryMaxMs];
  const pause = min + Math.random() * (max - min);
  return remaining > 0 ? Math.max(1, Math.min(pause, remaining)) : pause;
}
