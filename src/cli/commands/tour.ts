import { Command } from "commander";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LedgerError } from "../../events/index.js";
import { SessionDB } from "../../store/session-db.js";
import { print, type Cli, type Runner } from "../cli.js";
import { UsageError, type ExitStatus } from "../output/error.js";
import { conclusion, tourSteps } from "../tour/steps.js";

/** There is a store already where the tour was to leave its own. */
class TourStoreExistsError extends LedgerError {
  readonly path: string;

  constructor(path: string) {
    super("state", "TOUR_STORE_EXISTS", `'${path}' is there already; it was left as it is. Name another directory.`);
    this.path = path;
  }
}

/** `tour` */
export function tourCommand(run: Runner): Command {
  return new Command("tour")
    .summary("Show what the ledger does, on samples.")
    .description("Show what the ledger does, on sample conversations in a store of its own.")
    .option("--keep <directory>", "keep the store there, to look around in it afterwards")
    .action(run(tour));
}

async function tour(cli: Cli, { keep }: { readonly keep?: string }): Promise<ExitStatus> {
  if (cli.path !== undefined) throw new UsageError("The tour makes a store of its own: leave --db out, or use --keep.");
  const directory = keep ?? mkdtempSync(join(tmpdir(), "hermes-ledger-tour-"));
  const path = join(directory, "state.db");
  if (existsSync(path)) throw new TourStoreExistsError(path);
  try {
    mkdirSync(directory, { recursive: true });
    const layout = { style: cli.style, width: Math.min(cli.width, 100) };
    const started = performance.now();
    const steps: object[] = [];
    let ok = true;
    const db = SessionDB.open({ path });
    try {
      for (const step of tourSteps) {
        const { name, passed, document, text } = step(db, layout);
        if (!cli.json) cli.io.stdout.write(`${text}\n\n`);
        await cli.io.stdout.drained();
        if (cli.io.stdout.closed) return 0;
        steps.push({ step: name, ok: passed, ...document });
        ok &&= passed;
      }
    } finally {
      db.close();
    }
    const seconds = (performance.now() - started) / 1000;
    print(cli, { ok, path: keep === undefined ? null : path, seconds, steps }, () =>
      conclusion(layout, { ok, seconds, kept: keep === undefined ? null : path }),
    );
    return ok ? 0 : 1;
  } finally {
    if (keep === undefined) rmSync(directory, { recursive: true, force: true });
  }
}
