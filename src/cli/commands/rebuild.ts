import { Command } from "commander";
import type { RebuildReport } from "../../store/audit/rebuild.js";
import { print, withWriteStore, type Cli, type Runner } from "../cli.js";
import { UsageError } from "../output/error.js";
import { counted, formatCount } from "../output/numbers.js";
import { progressBar } from "../output/progress.js";
import { renderTable } from "../output/table.js";
import { formatDuration } from "../output/time.js";

interface RebuildOptions {
  readonly search?: boolean;
  readonly discardUnexplained?: boolean;
}

/** `rebuild` */
export function rebuildCommand(run: Runner): Command {
  return new Command("rebuild")
    .summary("Make the tables again from the log.")
    .description("Make every table again from the log. Until it is done nothing changes.")
    .option("--search", "only make the full-text indexes again, from the messages")
    .option("--discard-unexplained", "go on although rows differ from the log for no known reason; the log wins")
    .action(run(rebuild));
}

async function rebuild(cli: Cli, { search, discardUnexplained }: RebuildOptions): Promise<void> {
  if (search === true && discardUnexplained === true) {
    throw new UsageError("--discard-unexplained is about the tables; --search leaves them alone. Give one of the two.");
  }
  await withWriteStore(cli, (db) => {
    if (search === true) {
      const indexes = db.rebuildFts();
      print(cli, { indexes }, () => `Made ${counted(indexes, "full-text index", "full-text indexes")} again.`);
      return;
    }
    const bar = progressBar(cli.io);
    let report: RebuildReport;
    try {
      report = db.rebuild({ discardUnexplained: discardUnexplained ?? false, onProgress: bar.onProgress });
    } finally {
      bar.stop();
    }
    print(cli, report, () => rebuildText(cli, report));
  });
}

/** What a rebuild did, for people. */
function rebuildText(cli: Pick<Cli, "style" | "width">, { events, tables, seconds }: RebuildReport): string {
  const filled = tables.filter(({ rows, changed }) => rows > 0 || changed > 0);
  const table = renderTable(
    [
      { head: "TABLE", cell: (row) => row.table },
      { head: "ROWS", cell: ({ rows }) => formatCount(rows), right: true },
      { head: "CHANGED", cell: ({ changed }) => formatCount(changed), right: true },
    ],
    filled,
    cli,
  );
  return `${table}\n\nReplayed ${counted(events, "event")} in ${formatDuration(seconds)}.`;
}
