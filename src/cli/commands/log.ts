import { Command, InvalidArgumentError, Option } from "commander";
import { eventTypes, isEventType, type EventType, type LogEvent } from "../../events/index.js";
import type { SessionDB } from "../../store/session-db.js";
import { printLines, withReadStore, type Cli, type Runner } from "../cli.js";
import { wholeNumber } from "../options.js";
import { UsageError } from "../output/error.js";
import { eventDocument, eventHeads, eventLine } from "../output/event.js";
import { jsonText } from "../output/json.js";
import { findSession, REFERENCE_HELP } from "./sessions/reference.js";

interface LogOptions {
  readonly from?: number | "start" | "now";
  readonly to?: number;
  readonly session?: string;
  readonly type?: EventType[];
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly follow?: boolean;
}

/** `log` */
export function logCommand(run: Runner): Command {
  return new Command("log")
    .summary("Show the events of the log, and follow it.")
    .description("Show the events of the log, the oldest first. With --json one event a line, with its payload.")
    .option(
      "--follow",
      "go on with what is appended, until Ctrl-C; begins with the last 10 events unless --from says else",
    )
    .option("--from <position>", 'the first position to show, "start" or "now"', readFrom)
    .option("--to <position>", "the last position to show", wholeNumber(1))
    .option("--session <session>", `only events of this session: ${REFERENCE_HELP}, or the name of a stream ($…)`)
    .option("--type <type>", `only events of this type (may be repeated), e.g. ${eventTypes[0] ?? ""}`, readTypes)
    .addOption(new Option("--reverse", "the newest first").conflicts("follow"))
    .option("--limit <number>", "at most so many events", wholeNumber(0))
    .action(run(showLog));
}

function readFrom(text: string): number | "start" | "now" {
  return text === "start" || text === "now" ? text : wholeNumber(1)(text);
}

function readTypes(text: string, before: readonly EventType[] = []): EventType[] {
  if (!isEventType(text)) throw new InvalidArgumentError(`The types are: ${eventTypes.join(", ")}.`);
  return [...before, text];
}

/** Events of the past that a follower sees first. */
const TAIL = 10;

async function showLog(cli: Cli, options: LogOptions): Promise<void> {
  if (options.follow === true && options.to !== undefined) throw new UsageError("--follow has no end: leave --to out.");
  await withReadStore(cli, async (db) => {
    const { session, type } = options;
    const filter = {
      ...(session === undefined ? {} : { streamId: session.startsWith("$") ? session : findSession(db, session) }),
      ...(type === undefined ? {} : { types: type }),
    };
    const line = (event: LogEvent): string => (cli.json ? jsonText(eventDocument(event), 0) : eventLine(event, cli));
    // A file without a log is refused before anything is printed.
    const { position: end } = db.log.head();
    if (!cli.json) await printLines(cli, [eventHeads(cli)]);
    if (options.follow === true) await follow(cli, db, filter, { ...options, end }, line);
    else await printLines(cli, mapped(past(db, filter, options), line));
  });
}

type Filter = { readonly streamId?: string; readonly types?: readonly EventType[] };

function past(db: SessionDB, filter: Filter, options: LogOptions): IterableIterator<LogEvent> {
  const { to, reverse = false, limit } = options;
  const from = firstPosition(db, options.from ?? "start");
  // The log itself names the bounds in the direction of reading.
  const bounds = reverse
    ? { to: from, ...(to === undefined ? {} : { from: to }) }
    : { from, ...(to === undefined ? {} : { to }) };
  return db.log.read({ ...filter, ...bounds, reverse, ...(limit === undefined ? {} : { limit }) });
}

function firstPosition(db: SessionDB, from: number | "start" | "now"): number {
  if (from === "now") return db.log.head().position + 1;
  return from === "start" ? 1 : from;
}

/** The past is read at the reader's pace; then what is appended is shown as it comes. */
async function follow(
  cli: Cli,
  db: SessionDB,
  filter: Filter,
  options: LogOptions & { readonly end: number },
  line: (event: LogEvent) => string,
): Promise<void> {
  const { limit = Infinity, end } = options;
  const signal = cli.io.interrupted();
  let next = options.from === undefined ? tailStart(db, filter) : firstPosition(db, options.from);
  let shown = 0;
  const old = { ...filter, from: next, to: end, ...(limit === Infinity ? {} : { limit }) };
  await printLines(
    cli,
    mapped(db.log.read(old), (event) => {
      shown += 1;
      return line(event);
    }),
  );
  next = Math.max(next, end + 1);
  const done = (): boolean => shown >= limit || signal.aborted || cli.io.stdout.closed;
  if (done()) return;
  await new Promise<void>((resolve, reject) => {
    const subscription = db.events$({ ...filter, from: next }).subscribe({
      next: (event) => {
        cli.io.stdout.write(`${line(event)}\n`);
        shown += 1;
        if (done()) finish();
      },
      error: reject,
      complete: resolve,
    });
    const finish = (): void => {
      signal.removeEventListener("abort", finish);
      subscription.unsubscribe();
      resolve();
    };
    signal.addEventListener("abort", finish);
  });
}

function tailStart(db: SessionDB, filter: Filter): number {
  const last = [...db.log.read({ ...filter, reverse: true, limit: TAIL })];
  return last.at(-1)?.position ?? db.log.head().position + 1;
}

function* mapped<A, B>(items: Iterable<A>, change: (item: A) => B): Generator<B, void, undefined> {
  for (const item of items) yield change(item);
}
