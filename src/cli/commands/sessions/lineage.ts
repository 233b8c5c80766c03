import { Command } from "commander";
import { print, withReadStore, type Cli, type Runner } from "../../cli.js";
import { counted } from "../../output/numbers.js";
import { renderTable } from "../../output/table.js";
import { oneLine } from "../../output/text.js";
import { formatCount } from "../../output/numbers.js";
import { formatTime } from "../../output/time.js";
import { findSession, REFERENCE_HELP } from "./reference.js";

/** `sessions lineage` */
export function lineageCommand(run: Runner): Command {
  return new Command("lineage")
    .summary("Show the parts of a compressed conversation.")
    .description("Show the sessions that compression made of one conversation, the oldest first.")
    .argument("<session>", REFERENCE_HELP)
    .action(run(lineage));
}

async function lineage(cli: Cli, reference: string): Promise<void> {
  await withReadStore(cli, (db) => {
    const session_id = findSession(db, reference);
    const segments = db.getCompressionLineage(session_id).flatMap((id) => db.getSession(id) ?? []);
    print(cli, { session_id, lineage: segments }, () => {
      const table = renderTable(
        [
          { head: "", cell: ({ id }) => (id === session_id ? "*" : "") },
          { head: "ID", cell: ({ id }) => oneLine(id), least: 22 },
          { head: "TITLE", cell: ({ title }) => oneLine(title ?? "–"), least: 12 },
          { head: "MSGS", cell: ({ message_count }) => formatCount(message_count), right: true },
          { head: "STARTED", cell: ({ started_at }) => formatTime(started_at) },
          { head: "ENDED BY", cell: ({ end_reason }) => oneLine(end_reason ?? "–") },
        ],
        segments,
        cli,
      );
      return `${table}\n\n${cli.style.dim(`${counted(segments.length, "session")} in this conversation`)}`;
    });
  });
}
