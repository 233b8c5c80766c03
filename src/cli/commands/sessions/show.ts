import { Command } from "commander";
import type { SessionRow } from "../../../projections/sessions.js";
import { print, printLines, withReadStore, type Cli, type Runner } from "../../cli.js";
import { wholeNumber } from "../../options.js";
import { counted, formatCost, formatCount } from "../../output/numbers.js";
import type { Style } from "../../output/style.js";
import { oneLine } from "../../output/text.js";
import { formatTime } from "../../output/time.js";
import { messageText } from "../../output/transcript.js";
import { findSession, REFERENCE_HELP, UnknownSessionError } from "./reference.js";

interface ShowOptions {
  readonly limit?: number;
  readonly inactive?: boolean;
  readonly full?: boolean;
}

const TOOL_LINES = 8;

/** `sessions show` */
export function showCommand(run: Runner): Command {
  return new Command("show")
    .description("Show a session and its transcript.")
    .argument("[session]", REFERENCE_HELP, "last")
    .option("--limit <number>", "only the last messages", wholeNumber(0))
    .option("--inactive", "messages that were rewound or compacted too")
    .option("--full", "do not shorten the results of tools")
    .action(run(show));
}

async function show(cli: Cli, reference: string, options: ShowOptions): Promise<void> {
  await withReadStore(cli, async (db) => {
    const id = findSession(db, reference);
    const session = db.getSession(id);
    if (session === null) throw new UnknownSessionError(reference);
    const all = db.getMessages(id, { include_inactive: options.inactive ?? false });
    const messages = options.limit === undefined ? all : all.slice(all.length - Math.min(options.limit, all.length));
    if (cli.json) {
      print(cli, { session, messages }, () => "");
      return;
    }
    const layout = { ...cli, toolLines: options.full === true ? Infinity : TOOL_LINES };
    await printLines(cli, [sessionText(session, cli.style), ""]);
    const omitted = all.length - messages.length;
    if (omitted > 0) await printLines(cli, [cli.style.dim(`(${counted(omitted, "earlier message")} not shown)`), ""]);
    for (const message of messages) await printLines(cli, [messageText(message, layout), ""]);
  });
}

/** The facts about a session, a line each. */
function sessionText(session: SessionRow, style: Style): string {
  const tokens = `${formatCount(session.input_tokens)} in, ${formatCount(session.output_tokens)} out`;
  const facts: readonly (readonly [string, string | null])[] = [
    ["id", session.id],
    ["source", session.source],
    ["model", session.model],
    ["started", formatTime(session.started_at)],
    ["ended", session.ended_at === null ? null : `${formatTime(session.ended_at)} (${session.end_reason ?? "–"})`],
    ["continues", session.parent_session_id],
    ["directory", session.cwd],
    ["messages", `${formatCount(session.message_count)}, ${counted(session.tool_call_count ?? 0, "tool call")}`],
    ["tokens", session.api_call_count ? tokens : null],
    ["cost", session.api_call_count ? formatCost(session.actual_cost_usd ?? session.estimated_cost_usd) : null],
    [
      "flags",
      [session.archived === 1 ? "archived" : "", session.pinned === 1 ? "pinned" : ""].join(" ").trim() || null,
    ],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`${style.dim(name.padEnd(10))} ${oneLine(value)}`],
  );
  return [style.bold(oneLine(session.title ?? "(untitled)")), ...lines].join("\n");
}
