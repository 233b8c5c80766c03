import { EngineError } from "../connection/sqlite-errors.js";
import { ReadOnlyStoreError } from "../connection/open-errors.js";
import { LedgerError } from "../../events/index.js";
import type { Store } from "../store.js";
import { finishAtExit, forgetAtExit } from "./exit-hook.js";
import { mergedReports } from "./merge-reports.js";
import { recordUsage } from "./record-usage.js";
import type { UsageReport } from "./usage-report.js";

/** How long the queue waits for a locked file; seconds. */
export const usageQueueDefaults = {
  /** A flush that says nothing else, and the end of the process. */
  flush: 5,
  /** Closing the store. */
  close: 10,
  /** A turn of the event loop, which must not stand still for long. */
  turn: 0.5,
  /** The pause before the next try. */
  pause: 1,
} as const;

/**
 * Usage that waits to be booked, in this process alone. The next turn of the event loop books it in order, neighbours
 * for the same session and route as one. Whatever stops the file from being written now (a lock, a full disk) keeps it
 * waiting; closing the store and the end of the process book what is left. A crash before that loses it, as the events
 * are not in the log yet.
 */
export class UsageQueue {
  readonly #store: Store;
  #waiting: UsageReport[] = [];
  /** Booked in a transaction that is still open: if that is rolled back, these wait again. */
  #uncommitted: UsageReport[] = [];
  #turn: { cancel(): void } | null = null;
  #draining = false;
  #told = false;

  /** The queue of a store; it ends with the store. */
  constructor(store: Store) {
    this.#store = store;
    store.onClose(() => {
      this.#finish(usageQueueDefaults.close, "the store was closed");
    });
  }

  /**
   * Puts usage into the queue.
   *
   * @throws StoreClosedError, ReadOnlyStoreError
   */
  add(report: UsageReport): void {
    this.#store.requireOpen();
    if (this.#store.readOnly) throw new ReadOnlyStoreError(this.#store.path);
    const last = this.#waiting.at(-1);
    const merged = last === undefined ? null : mergedReports(last, report);
    if (merged === null) this.#waiting.push(report);
    else this.#waiting[this.#waiting.length - 1] = merged;
    finishAtExit(this);
    this.#schedule(0);
  }

  /** Books what waits, within `seconds`; returns whether nothing is left. Never throws. */
  flush(seconds: number = usageQueueDefaults.flush): boolean {
    if (this.#draining) return false;
    if (this.#waiting.length === 0 && this.#uncommitted.length === 0) return true;
    this.#draining = true;
    try {
      this.#takeBack();
      this.#drain(performance.now() + seconds * 1000);
    } finally {
      this.#draining = false;
    }
    if (this.#uncommitted.length > 0) this.#schedule(0);
    else if (this.#waiting.length > 0) this.#schedule(usageQueueDefaults.pause);
    else forgetAtExit(this);
    return this.#waiting.length === 0;
  }

  /** Books what waits as the process ends. */
  finish(): void {
    this.#finish(usageQueueDefaults.flush, "the process ended");
  }

  /** What a rolled-back transaction had booked waits again, before everything that came later. */
  #takeBack(): void {
    if (this.#store.db.inTransaction) return;
    this.#waiting = [...this.#uncommitted, ...this.#waiting];
    this.#uncommitted = [];
  }

  #drain(deadline: number): void {
    for (let report = this.#waiting.shift(); report !== undefined; report = this.#waiting.shift()) {
      const booked = report;
      this.#uncommitted.push(booked);
      const committed = (): void => this.#forget(booked);
      try {
        const patience = Math.max(0, (deadline - performance.now()) / 1000);
        recordUsage(this.#store, booked, { patience, committed });
        this.#told = false;
      } catch (error) {
        this.#forget(booked);
        if (this.#refused(booked, error)) continue;
        this.#waiting.unshift(booked);
        return;
      }
    }
  }

  #forget(report: UsageReport): void {
    this.#uncommitted = this.#uncommitted.filter((other) => other !== report);
  }

  /** Tells why a report was not booked; returns whether it never can be. */
  #refused(report: UsageReport, error: unknown): boolean {
    const reason = error instanceof Error ? error.message : String(error);
    const usage = `Usage of session '${report.session_id}'`;
    if (error instanceof LedgerError && !(error instanceof EngineError && error.kind !== "constraint")) {
      this.#store.notice({ code: "usage_refused", message: `${usage} was refused and is not counted: ${reason}` });
      return true;
    }
    if (!this.#told) {
      this.#told = true;
      this.#store.notice({ code: "usage_waits", message: `${usage} is not counted yet and waits: ${reason}` });
    }
    return false;
  }

  #schedule(seconds: number): void {
    if (this.#turn !== null || !this.#store.db.open) return;
    const turn = (): void => {
      this.#turn = null;
      this.flush(usageQueueDefaults.turn);
    };
    // Neither keeps the process alive: what waits is booked as it ends.
    if (seconds === 0) {
      const immediate = setImmediate(turn).unref();
      this.#turn = { cancel: () => clearImmediate(immediate) };
    } else {
      const timeout = setTimeout(turn, seconds * 1000).unref();
      this.#turn = { cancel: () => clearTimeout(timeout) };
    }
  }

  #finish(seconds: number, why: string): void {
    this.flush(seconds);
    this.#turn?.cancel();
    this.#turn = null;
    forgetAtExit(this);
    const lost = this.#waiting.length + this.#uncommitted.length;
    this.#waiting = [];
    this.#uncommitted = [];
    if (lost === 0) return;
    const message = `${lost} reports of usage could not be booked before ${why} and are lost.`;
    this.#store.notice({ code: "usage_lost", message });
  }
}
