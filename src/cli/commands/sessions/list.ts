import { Command } from "commander";
import type { SessionDB } from "../../../store/session-db.js";
import { print, withReadStore, type Cli, type Runner } from "../../cli.js";
import { repeated, wholeNumber } from "../../options.js";
import { counted, formatCount } from "../../output/numbers.js";
import { renderTable } from "../../output/table.js";
import { oneLine } from "../../output/text.js";
import { formatTime } from "../../output/time.js";

/** What the sessions table shows of a session. */
export interface ListedSession {
  readonly id: string;
  readonly title: string | null;
  readonly preview: string;
  readonly source: string;
  readonly model: string | null;
  readonly message_count: number | null;
  readonly last_active: number;
}

interface ListOptions {
  readonly limit: number;
  readonly offset: number;
  readonly source?: string[];
  readonly find?: string;
  readonly archived?: boolean;
  readonly all?: boolean;
}

/** `sessions list` */
export function listCommand(run: Runner): Command {
  return new Command("list")
    .summary("List conversations.")
    .description("List conversations, the last active first.")
    .option("--limit <number>", "show at most so many", wholeNumber(0), 20)
    .option("--offset <number>", "leave out the first ones", wholeNumber(0), 0)
    .option("--source <name>", "only sessions from there, e.g. cli or telegram (may be repeated)", repeated)
    .option("--find <text>", "only sessions with this in their title or id")
    .option("--archived", "only archived sessions")
    .option("--all", "every session: archived ones, delegates and the parts of compressed conversations too")
    .action(run(list));
}

async function list(cli: Cli, options: ListOptions): Promise<void> {
  const { limit, offset, source, find, archived = false, all = false } = options;
  const filter = {
    ...(source === undefined ? {} : { sources: source }),
    include_archived: all,
    archived_only: archived,
  };
  await withReadStore(cli, (db) => {
    const sessions = db.listSessionsRich({
      ...filter,
      limit,
      offset,
      include_children: all,
      order_by_last_active: true,
      compact_rows: true,
      ...(find === undefined ? {} : { search_query: find }),
    });
    const total = find === undefined ? db.sessionCount({ ...filter, exclude_children: !all }) : null;
    const hidden = total === null || all || archived ? null : hiddenSessions(db, source, total);
    print(cli, { sessions, total, hidden }, () => listText(cli, sessions, { total, hidden, offset }));
  });
}

/** How many sessions the list leaves out unless it is told otherwise, and why; each is counted once. */
interface HiddenSessions {
  readonly archived: number;
  /** Delegates and the parts of compressed conversations that are not archived. */
  readonly children: number;
}

function hiddenSessions(db: SessionDB, sources: string[] | undefined, listed: number): HiddenSessions {
  const filter = sources === undefined ? {} : { sources };
  return {
    archived: db.sessionCount({ ...filter, archived_only: true }),
    children: db.sessionCount(filter) - listed,
  };
}

interface ListNumbers {
  /** Null where it is not known. */
  readonly total: number | null;
  readonly hidden: HiddenSessions | null;
  readonly offset: number;
}

function listText(cli: Cli, sessions: readonly ListedSession[], { total, hidden, offset }: ListNumbers): string {
  const left = hidden === null ? "" : hiddenText(hidden);
  if (sessions.length === 0) {
    const none = total === 0 || total === null ? "No sessions." : `No sessions after ${offset}.`;
    return left === "" ? none : `${none} ${left}`;
  }
  const shown =
    total === null || total === sessions.length
      ? counted(sessions.length, "session")
      : `${formatCount(sessions.length)} of ${counted(total, "session")}; --limit and --offset show others`;
  const footer = [shown, ...(left === "" ? [] : [left])].map((line) => cli.style.dim(line));
  return `${sessionsTable(cli, sessions)}\n\n${footer.join("\n")}`;
}

function hiddenText({ archived, children }: HiddenSessions): string {
  const kinds = [
    ...(archived > 0 ? [`${formatCount(archived)} archived`] : []),
    ...(children > 0 ? [`${formatCount(children)} that ${children === 1 ? "is" : "are"} part of another`] : []),
  ];
  return kinds.length === 0 ? "" : `Not listed: ${kinds.join(", ")}; --all lists every session.`;
}

/** The table of sessions for people. */
export function sessionsTable(cli: Pick<Cli, "style" | "width">, sessions: readonly ListedSession[]): string {
  return renderTable(
    [
      { head: "ID", cell: ({ id }) => oneLine(id), least: 22, paint: (text) => cli.style.cyan(text) },
      { head: "TITLE", cell: titleText, least: 12 },
      { head: "SOURCE", cell: ({ source }) => oneLine(source), least: 8 },
      { head: "MODEL", cell: ({ model }) => oneLine(model ?? "–"), least: 8, optional: true },
      { head: "MSGS", cell: ({ message_count }) => formatCount(message_count), right: true },
      { head: "LAST ACTIVE", cell: ({ last_active }) => formatTime(last_active) },
    ],
    sessions,
    cli,
  );
}

/** The title, or in its absence how the conversation begins. */
function titleText({ title, preview }: ListedSession): string {
  return oneLine(title ?? (preview === "" ? "–" : `“${preview}”`));
}
