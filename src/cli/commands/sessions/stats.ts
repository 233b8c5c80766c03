import { Command, Option } from "commander";
import type { UsageGroup, UsageStatisticsOptions } from "../../../store/queries/usage-statistics.js";
import type { SessionDB } from "../../../store/session-db.js";
import { print, withReadStore, type Cli, type Runner } from "../../cli.js";
import { moment, wholeNumber } from "../../options.js";
import { counted, formatCost, formatCount } from "../../output/numbers.js";
import { renderTable, type TableColumn } from "../../output/table.js";
import { oneLine } from "../../output/text.js";

const GROUPS = ["model", "task", "source", "day"] as const;
type Group = (typeof GROUPS)[number];

interface StatsOptions extends Pick<UsageStatisticsOptions, "source" | "since" | "until"> {
  readonly top: number;
  readonly by: Group;
}

type Stats = ReturnType<typeof collect>;

/** `sessions stats` */
export function statsCommand(run: Runner): Command {
  return new Command("stats")
    .summary("Count sessions, messages, tokens and cost.")
    .description(
      "Count sessions, messages, tokens and cost: in all, by model, task, source or day, and the dearest sessions.",
    )
    .addOption(new Option("--by <group>", "what to sum usage by").choices(GROUPS).default("model"))
    .option("--source <name>", "usage and dearest sessions from there only")
    .option("--since <time>", "usage from then on: a day (UTC) or a time with its zone", moment)
    .option("--until <time>", "usage before then", moment)
    .option("--top <number>", "how many of the dearest sessions", wholeNumber(0), 5)
    .action(run(stats));
}

async function stats(cli: Cli, options: StatsOptions): Promise<void> {
  await withReadStore(cli, (db) => {
    const document = collect(db, options);
    print(cli, document, () => statsText(cli, document));
  });
}

function collect(db: SessionDB, { by, source, since, until, top }: StatsOptions) {
  return {
    sessions: db.sessionCount({ include_archived: true }),
    messages: db.messageCount(),
    by_source: db.sessionCountBySource({ include_archived: true }),
    usage: db.usageTotals({ source, since, until }),
    usage_by: by,
    usage_groups: db.usageByModel({ by, source, since, until }),
    most_expensive: db.mostExpensiveSessions({ limit: top, source }),
  };
}

function statsText(cli: Cli, document: Stats): string {
  const { sessions, messages, by_source, usage, usage_by, usage_groups, most_expensive } = document;
  const sources = renderTable(
    [
      { head: "SOURCE", cell: ([source]) => oneLine(source), least: 8 },
      { head: "SESSIONS", cell: ([, count]) => formatCount(count), right: true },
    ],
    Object.entries(by_source),
    cli,
  );
  const parts = [cli.style.bold(`${counted(sessions, "session")}, ${counted(messages, "message")}`), sources];
  if (usage.api_call_count > 0 || usage_groups.length > 0) {
    const tokens = `${formatCount(usage.input_tokens)} tokens in, ${formatCount(usage.output_tokens)} out`;
    parts.push(
      cli.style.bold(`${counted(usage.api_call_count, "model call")}: ${tokens}, ${formatCost(costOf(usage))}`),
      usageTable(cli, usage_groups, usage_by),
    );
  }
  if (most_expensive.length > 0) parts.push(cli.style.bold("The dearest sessions"), dearestTable(cli, most_expensive));
  return parts.join("\n\n");
}

/** The table of usage by model (or by task, source, day). */
export function usageTable(
  cli: Pick<Cli, "style" | "width">,
  rows: readonly UsageGroup[],
  by: Group = "model",
): string {
  return renderTable(
    [
      ...GROUP_COLUMNS[by],
      { head: "CALLS", cell: ({ api_call_count }) => formatCount(api_call_count), right: true },
      { head: "IN", cell: ({ input_tokens }) => formatCount(input_tokens), right: true },
      { head: "CACHED", cell: ({ cache_read_tokens }) => formatCount(cache_read_tokens), right: true, optional: true },
      { head: "OUT", cell: ({ output_tokens }) => formatCount(output_tokens), right: true },
      { head: "COST", cell: (row) => formatCost(costOf(row)), right: true },
    ],
    rows,
    cli,
  );
}

const GROUP_COLUMNS: Record<Group, readonly TableColumn<UsageGroup>[]> = {
  model: [
    { head: "MODEL", cell: ({ model }) => oneLine(model ?? "–"), least: 12 },
    { head: "PROVIDER", cell: ({ billing_provider }) => oneLine(billing_provider || "–"), least: 8 },
  ],
  // The main loop is the task without a name.
  task: [{ head: "TASK", cell: ({ task }) => oneLine(task || "(main)"), least: 8 }],
  source: [{ head: "SOURCE", cell: ({ source }) => oneLine(source ?? "–"), least: 8 }],
  day: [{ head: "DAY (UTC)", cell: ({ day }) => day ?? "–", least: 10 }],
};

/** What was paid where that was reported, else the estimate. */
function costOf({ actual_cost_usd, estimated_cost_usd }: Stats["usage"]): number {
  return actual_cost_usd > 0 ? actual_cost_usd : estimated_cost_usd;
}

function dearestTable(cli: Cli, sessions: Stats["most_expensive"]): string {
  return renderTable(
    [
      { head: "ID", cell: ({ id }) => oneLine(id), least: 22 },
      { head: "TITLE", cell: ({ title }) => oneLine(title ?? "–"), least: 12 },
      { head: "MODEL", cell: ({ model }) => oneLine(model ?? "–"), least: 8, optional: true },
      { head: "COST", cell: ({ cost_usd }) => formatCost(cost_usd), right: true },
    ],
    sessions,
    cli,
  );
}
