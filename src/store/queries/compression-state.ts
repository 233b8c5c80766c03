import type { Database } from "better-sqlite3";
import { LedgerError } from "../../events/index.js";
import { sessionRow } from "./session-row.js";
import { toFloat, toInt } from "../values/numbers.js";

/** A failure cooldown that is running. */
export interface Cooldown {
  /** Epoch seconds. */
  readonly cooldown_until: number;
  readonly remaining_seconds: number;
  readonly error: string | null;
}

/** A failure cooldown as it stands in the table. */
export interface CooldownRow {
  readonly session_exists: boolean;
  /** Epoch seconds. */
  readonly cooldown_until: number | null;
  readonly error: string | null;
}

/** The cooldown of a session at `now` (epoch seconds); null when there is none, or it is over. */
export function getCooldown(db: Database, sessionId: string, now: number): Cooldown | null {
  const { cooldown_until: stored, error } = getCooldownRow(db, sessionId);
  const cooldown_until = toFloat(stored);
  if (cooldown_until === null || cooldown_until <= now) return null;
  return { cooldown_until, remaining_seconds: cooldown_until - now, error };
}

/** The cooldown columns of a session, whatever the time. */
export function getCooldownRow(db: Database, sessionId: string): CooldownRow {
  const row = sessionRow(db, sessionId);
  return {
    session_exists: row !== null,
    cooldown_until: row?.compression_failure_cooldown_until ?? null,
    error: row?.compression_failure_error ?? null,
  };
}

/** One of the compressor's counters; 0 for an unknown session, for a negative value and for one that is no number. */
export function getCompressionCounter(
  db: Database,
  sessionId: string,
  counter: "compression_fallback_streak" | "compression_ineffective_count",
): number | bigint {
  const stored: unknown = sessionRow(db, sessionId)?.[counter];
  try {
    const count = toInt(stored) ?? 0;
    return count > 0 ? count : 0;
  } catch (error) {
    // An infinity that another program wrote.
    if (error instanceof LedgerError && error.kind === "range") return 0;
    throw error;
  }
}
