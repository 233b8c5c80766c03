import type { Database } from "better-sqlite3";
import type { EventType, LogEvent } from "../../events/index.js";
import { statement } from "../statements.js";
import { InvalidReadError } from "./log-errors.js";
import { EVENT_COLUMNS, toLogEvent, type EventRow } from "./event-row.js";

/** Which events to read, and in which order. */
export interface ReadOptions {
  /** First position to read (inclusive); default: the start, or with `reverse` the end. */
  readonly from?: number;
  /** Last position to read (inclusive); default: the end, or with `reverse` the start. */
  readonly to?: number;
  /** Only this stream. */
  readonly streamId?: string;
  /** Only these types. */
  readonly types?: readonly EventType[];
  /** Newest first. */
  readonly reverse?: boolean;
  /** At most so many events. */
  readonly limit?: number;
}

/** Throws {@link InvalidReadError} for positions and limits that are no whole numbers; a limit may be infinite. */
export function requireReadable({ from, to, limit }: ReadOptions = {}): void {
  for (const [option, value] of Object.entries({ from, to, limit })) {
    const whole = value === undefined || (Number.isSafeInteger(value) && value >= 0);
    if (!whole && !(option === "limit" && value === Infinity)) throw new InvalidReadError(option, value);
  }
}

const BATCH_ROWS = 256;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/**
 * Reads events in batches, so that memory stays constant and the connection is free between two of them. What is
 * appended while reading is read too, unless `to` says where to stop.
 */
export function* readEvents(db: Database, options: ReadOptions = {}): Generator<LogEvent, void, undefined> {
  for (const row of readEventRows(db, options)) yield toLogEvent(row);
}

/** {@link readEvents} before decoding: the stored rows. */
export function* readEventRows(db: Database, options: ReadOptions = {}): Generator<EventRow, void, undefined> {
  const reverse = options.reverse ?? false;
  const types = options.types === undefined ? null : JSON.stringify(options.types);
  let left = options.limit ?? Infinity;
  let [low, high] = reverse
    ? [options.to ?? 1, options.from ?? Number.MAX_SAFE_INTEGER]
    : [options.from ?? 1, options.to ?? Number.MAX_SAFE_INTEGER];
  const sql = `SELECT ${EVENT_COLUMNS} FROM ledger_events
    WHERE position BETWEEN @low AND @high
      ${options.streamId === undefined ? "" : "AND stream_id = @stream_id"}
      ${types === null ? "" : "AND type IN (SELECT value FROM json_each(@types))"}
    ORDER BY position ${reverse ? "DESC" : "ASC"} LIMIT @rows`;
  while (left > 0) {
    const rows = batch(db, sql, {
      low,
      high,
      rows: Math.min(BATCH_ROWS, left),
      ...(options.streamId === undefined ? {} : { stream_id: options.streamId }),
      ...(types === null ? {} : { types }),
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield* rows;
    left -= rows.length;
    if (reverse) high = last.position - 1;
    else low = last.position + 1;
  }
}

function batch(db: Database, sql: string, parameters: Record<string, string | number>): EventRow[] {
  const rows: EventRow[] = [];
  let characters = 0;
  for (const row of statement<EventRow>(db, sql).iterate(parameters)) {
    rows.push(row);
    characters += row.payload?.length ?? 0;
    if (characters > BATCH_CHARACTERS) break;
  }
  return rows;
}
