import { Command } from "commander";
import type { SessionDB } from "../../../store/session-db.js";
import { print, withReadStore, type Cli, type Runner } from "../../cli.js";
import { wholeNumber } from "../../options.js";
import { counted, formatCost, formatCount } from "../../output/numbers.js";
import { renderTable } from "../../output/table.js";
import { oneLine } from "../../output/text.js";

interface StatsOptions {
  readonly top: number;
}

/** Usage of a model at a provider. */
export type ModelUsage = ReturnType<SessionDB["usageByModel"]>[number];
type Stats = ReturnType<typeof collect>;

/** `sessions stats` */
export function statsCommand(run: Runner): Command {
  return new Command("stats")
    .summary("Count sessions, messages, tokens and cost.")
    .description("Count sessions, messages, tokens and cost: in all, by source, by model, and the dearest sessions.")
    .option("--top <number>", "how many of the dearest sessions", wholeNumber(0), 5)
    .action(run(stats));
}

async function stats(cli: Cli, { top }: StatsOptions): Promise<void> {
  await withReadStore(cli, (db) => {
    const document = collect(db, top);
    print(cli, document, () => statsText(cli, document));
  });
}

function collect(db: SessionDB, top: number) {
  return {
    sessions: db.sessionCount({ include_archived: true }),
    messages: db.messageCount(),
    by_source: db.sessionCountBySource({ include_archived: true }),
    usage: db.usageTotals(),
    by_model: db.usageByModel(),
    most_expensive: db.mostExpensiveSessions({ limit: top }),
  };
}

function statsText(cli: Cli, { sessions, messages, by_source, usage, by_model, most_expensive }: Stats): string {
  const sources = renderTable(
    [
      { head: "SOURCE", cell: ([source]) => oneLine(source), least: 8 },
      { head: "SESSIONS", cell: ([, count]) => formatCount(count), right: true },
    ],
    Object.entries(by_source),
    cli,
  );
  const parts = [cli.style.bold(`${counted(sessions, "session")}, ${counted(messages, "message")}`), sources];
  if (usage.api_call_count > 0 || by_model.length > 0) {
    const tokens = `${formatCount(usage.input_tokens)} tokens in, ${formatCount(usage.output_tokens)} out`;
    parts.push(
      cli.style.bold(`${counted(usage.api_call_count, "model call")}: ${tokens}, ${formatCost(costOf(usage))}`),
      usageTable(cli, by_model),
    );
  }
  if (most_expensive.length > 0) parts.push(cli.style.bold("The dearest sessions"), dearestTable(cli, most_expensive));
  return parts.join("\n\n");
}

/** The table of usage by model. */
export function usageTable(cli: Pick<Cli, "style" | "width">, rows: readonly ModelUsage[]): string {
  return renderTable(
    [
      { head: "MODEL", cell: ({ model }) => oneLine(model ?? "–"), least: 12 },
      { head: "PROVIDER", cell: ({ billing_provider }) => oneLine(billing_provider || "–"), least: 8 },
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
