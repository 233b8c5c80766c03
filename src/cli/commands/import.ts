import { Command } from "commander";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LedgerError } from "../../events/index.js";
import { importTranscripts, type ImportReport } from "../../interop/transcripts/import.js";
import { defaultDatabasePath } from "../../store/connection/location.js";
import { print, withWriteStore, type Cli, type Runner } from "../cli.js";
import type { ExitStatus } from "../output/error.js";
import { counted } from "../output/numbers.js";
import { progressBar } from "../output/progress.js";
import { visibleText } from "../output/text.js";

interface ImportOptions {
  readonly dryRun?: boolean;
  readonly restoreDeleted?: boolean;
}

/** A file to import is not there. */
class ImportFileError extends LedgerError {
  readonly path: string;

  constructor(path: string) {
    super("not_found", "IMPORT_FILE", `There is no file '${path}'; nothing was imported.`);
    this.path = path;
  }
}

/** The import was interrupted. */
class ImportInterruptedError extends LedgerError {
  constructor() {
    super(
      "state",
      "INTERRUPTED",
      "Interrupted. Sessions that were imported stay; to get the rest, import the same files again.",
    );
  }
}

/** `import` */
export function importCommand(run: Runner): Command {
  return new Command("import")
    .summary("Import transcripts.")
    .description(
      "Import transcripts: JSON lines, one session a line. Sessions that are there already are left as they are.",
    )
    .argument("<file...>", "files of transcripts")
    .option("--dry-run", "only say what would be imported")
    .option("--restore-deleted", "bring back sessions that were deleted from this store too")
    .action(run(importFiles));
}

async function importFiles(cli: Cli, files: string[], options: ImportOptions): Promise<ExitStatus> {
  for (const file of files) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new ImportFileError(file);
  }
  const report = await withTargetStore(cli, options.dryRun ?? false, async (target) =>
    withWriteStore(
      target,
      async (db) => {
        const bar = progressBar(cli.io);
        const signal = cli.io.interrupted();
        try {
          return await importTranscripts(db, files, { ...options, onProgress: bar.onProgress, signal });
        } catch (error) {
          throw signal.aborted ? new ImportInterruptedError() : error;
        } finally {
          bar.stop();
        }
      },
      { create: true },
    ),
  );
  print(cli, report, () => reportText(report));
  return report.problems.length > 0 ? 1 : 0;
}

/** A trial must not make the store: where there is none yet it runs against an empty one that is thrown away. */
async function withTargetStore<T>(cli: Cli, dryRun: boolean, body: (cli: Cli) => Promise<T>): Promise<T> {
  if (!dryRun || existsSync(cli.path ?? defaultDatabasePath())) return body(cli);
  const directory = mkdtempSync(join(tmpdir(), "hermes-ledger-"));
  try {
    return await body({ ...cli, path: join(directory, "state.db") });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const SHOWN = 20;

function reportText(report: ImportReport): string {
  const { sessions, messages, system_prompts, skipped, deleted_before, problems, files } = report;
  const verb = report.dry_run ? "Would import" : "Imported";
  const prompts = system_prompts === 0 ? "" : ` and ${counted(system_prompts, "system prompt")}`;
  return [
    `${verb} ${counted(sessions, "session")} with ${counted(messages, "message")}${prompts} from ${counted(files, "file")}.`,
    ...(skipped === 0 ? [] : [`${counted(skipped, "session")} were there already and left as they are.`]),
    ...(deleted_before.length === 0
      ? []
      : [`${counted(deleted_before.length, "session")} were deleted here before and stay out (--restore-deleted).`]),
    ...(problems.length === 0 ? [] : [`${counted(problems.length, "line")} could not be used:`]),
    ...problems.slice(0, SHOWN).map(({ file, line, error }) => `  ${visibleText(`${file}:${line}: ${error}`)}`),
    ...(problems.length > SHOWN ? [`  … and ${problems.length - SHOWN} more (--json lists all)`] : []),
  ].join("\n");
}
