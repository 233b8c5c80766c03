import { Command } from "commander";
import type { PruneFilters } from "../../../store/queries/prune-filters.js";
import { print, withReadStore, withWriteStore, type Cli, type Runner } from "../../cli.js";
import { requireConfirmation } from "../../confirm.js";
import { positiveNumber, wholeNumber } from "../../options.js";
import { counted, formatCount } from "../../output/numbers.js";
import { renderTable } from "../../output/table.js";
import { oneLine } from "../../output/text.js";
import { formatTime } from "../../output/time.js";

interface PruneOptions {
  readonly olderThan: number;
  readonly source?: string;
  readonly endReason?: string;
  readonly title?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly minMessages?: number;
  readonly maxMessages?: number;
  readonly archived?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** A session that a prune would delete. */
interface Candidate {
  readonly id: string;
  readonly title: string | null;
  readonly source: string;
  readonly last_active: number;
  readonly message_count: number | null;
}

const DAY = 86_400;

/** `sessions prune` */
export function pruneCommand(run: Runner): Command {
  return new Command("prune")
    .summary("Delete sessions not active for long.")
    .description("Delete ended sessions that have not been active for long. Every condition given must be met.")
    .option("--older-than <days>", "without activity for so many days", positiveNumber, 90)
    .option("--source <name>", "from there")
    .option("--end-reason <reason>", "ended for that reason")
    .option("--title <text>", "with this in the title")
    .option("--model <text>", "with this in the name of the model")
    .option("--cwd <directory>", "from that directory or one below")
    .option("--min-messages <number>", "with at least so many messages", wholeNumber(0))
    .option("--max-messages <number>", "with at most so many messages", wholeNumber(0))
    .option("--archived", "only archived ones")
    .option("--no-archived", "no archived ones")
    .option("--yes", "do not ask")
    .option("--dry-run", "only say what would go")
    .action(run(prune));
}

async function prune(cli: Cli, options: PruneOptions): Promise<void> {
  const filters = pruneFilters(options);
  if (options.dryRun === true) {
    await withReadStore(cli, (db) => {
      const sessions = db.listPruneCandidates(filters);
      print(cli, { dry_run: true, deleted: 0, sessions }, () =>
        sessions.length === 0 ? NOTHING : `${candidatesText(cli, sessions)}\n\nNothing was deleted (--dry-run).`,
      );
    });
    return;
  }
  await withWriteStore(cli, async (db) => {
    const sessions = db.listPruneCandidates(filters);
    if (sessions.length === 0) {
      print(cli, { dry_run: false, deleted: 0, sessions }, () => NOTHING);
      return;
    }
    if (!cli.json && options.yes !== true) cli.io.stdout.write(`${candidatesText(cli, sessions)}\n\n`);
    await requireConfirmation(cli, `Delete ${counted(sessions.length, "session")} for good?`, options.yes ?? false);
    const deleted = db.pruneSessions(filters);
    print(cli, { dry_run: false, deleted, sessions }, () => `Deleted ${counted(deleted, "session")}.`);
  });
}

const NOTHING = "No session meets these conditions; nothing to delete.";

/** The moment is fixed here, so that what was shown and what goes are judged alike. */
function pruneFilters(options: PruneOptions): PruneFilters {
  return {
    last_active_before: Date.now() / 1000 - options.olderThan * DAY,
    source: options.source,
    end_reason: options.endReason,
    title_like: options.title,
    model_like: options.model,
    cwd_prefix: options.cwd,
    min_messages: options.minMessages,
    max_messages: options.maxMessages,
    archived: options.archived,
  };
}

function candidatesText(cli: Cli, candidates: readonly Candidate[]): string {
  const table = renderTable(
    [
      { head: "ID", cell: ({ id }) => oneLine(id), least: 22 },
      { head: "TITLE", cell: ({ title }) => oneLine(title ?? "–"), least: 12 },
      { head: "SOURCE", cell: ({ source }) => oneLine(source), least: 8 },
      { head: "MSGS", cell: ({ message_count }) => formatCount(message_count), right: true },
      { head: "LAST ACTIVE", cell: ({ last_active }) => formatTime(last_active) },
    ],
    candidates,
    cli,
  );
  const messages = candidates.reduce((sum, { message_count }) => sum + (message_count ?? 0), 0);
  return `${table}\n\n${counted(candidates.length, "session")}, ${counted(messages, "message")}`;
}
