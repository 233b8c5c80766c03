import { EMPTY, Observable, Subject, type Subscriber } from "rxjs";
import type { EventType, LogEvent } from "../../events/index.js";
import { readLogEnd } from "../log/appender.js";
import { readEvents, requireReadable } from "../log/read.js";
import { translateSqliteError } from "../connection/sqlite-errors.js";
import { statement } from "../statements.js";
import type { Store } from "../store.js";

/** What a subscription gets. */
export interface EventStreamOptions {
  /**
   * Where to begin: `start` (default), `now` (only what is appended from here on), or the first position to deliver; after
   * a checkpoint that is the checkpoint's position + 1.
   */
  readonly from?: "start" | "now" | number;
  /** Only this stream. */
  readonly streamId?: string;
  /** Only these types. */
  readonly types?: readonly EventType[];
  /** Milliseconds between looks for other processes' commits; default 100. */
  readonly pollInterval?: number;
}

/** A catch-up subscription. */
export interface EventStream extends Observable<LogEvent> {
  /**
   * Emits the position up to which everything was delivered, once a subscription has caught up with the log and from then
   * on whenever it has again.
   */
  readonly caughtUp$: Observable<number>;
}

/**
 * A catch-up subscription: history from a position, then the live tail, in order of position, each once. Commits of this
 * store are seen at once, those of other processes by polling `data_version`. Events are read from the log batch by batch
 * and never queued: a slow subscriber falls behind in the log, not in memory. Each subscription is on its own; closing
 * the store completes it.
 *
 * @throws InvalidReadError for a position that is none
 */
export function eventStream(store: Store, options: EventStreamOptions = {}): EventStream {
  if (typeof options.from === "number") requireReadable({ from: options.from });
  if (!store.db.open) return Object.assign(EMPTY, { caughtUp$: EMPTY });
  const caughtUp$ = new Subject<number>();
  const events$ = new Observable<LogEvent>((subscriber) => follow(store, options, subscriber, caughtUp$));
  return Object.assign(events$, { caughtUp$: caughtUp$.asObservable() });
}

function follow(
  store: Store,
  options: EventStreamOptions,
  subscriber: Subscriber<LogEvent>,
  caughtUp$: Subject<number>,
): () => void {
  const { streamId, types, pollInterval = 100 } = options;
  const filter = { ...(streamId === undefined ? {} : { streamId }), ...(types === undefined ? {} : { types }) };
  let next = firstPosition(store, options.from ?? "start");
  let delivering = false;
  let version = -1;
  let timer: NodeJS.Timeout | undefined;
  let wake: NodeJS.Immediate | undefined;

  const isOver = (): boolean => subscriber.closed || !store.db.open;
  const deliver = (): void => {
    // A subscriber that appends while it is called is served by the loop that is already running.
    if (delivering || isOver()) return;
    delivering = true;
    try {
      let before: number;
      do {
        before = next;
        const end = readLogEnd(store.db).position;
        for (const event of readEvents(store.db, { ...filter, from: next, to: end })) {
          next = event.position + 1;
          subscriber.next(event);
          if (isOver()) return;
        }
        next = Math.max(next, end + 1);
      } while (next !== before);
      caughtUp$.next(next - 1);
    } catch (error) {
      subscriber.error(translateSqliteError(error, store.path));
    } finally {
      delivering = false;
    }
  };
  const poll = (): void => {
    if (!store.db.open) {
      subscriber.complete();
      return;
    }
    let now: number;
    try {
      now = statement<{ data_version: number }>(store.db, "PRAGMA data_version").get()?.data_version ?? 0;
    } catch (error) {
      subscriber.error(translateSqliteError(error, store.path));
      return;
    }
    if (now === version) return;
    version = now;
    deliver();
  };

  // Delivery begins after subscribe() has returned, so that the subscriber can unsubscribe from its first event on.
  wake = setImmediate(() => {
    wake = undefined;
    poll();
    timer = setInterval(poll, pollInterval);
  });
  const unlisten = store.onCommit(deliver);
  const unclose = store.onClose(() => subscriber.complete());
  return () => {
    if (wake !== undefined) clearImmediate(wake);
    clearInterval(timer);
    unlisten();
    unclose();
  };
}

function firstPosition(store: Store, from: "start" | "now" | number): number {
  if (from === "start") return 1;
  return from === "now" ? readLogEnd(store.db).position + 1 : from;
}
