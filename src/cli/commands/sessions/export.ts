import { Command, Option } from "commander";
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { once } from "node:events";
import { exportTranscripts } from "../../../interop/transcripts/export.js";
import type { SessionDB } from "../../../store/session-db.js";
import { printLines, withReadStore, type Cli, type Runner } from "../../cli.js";
import { counted } from "../../output/numbers.js";
import { jsonText } from "../../output/json.js";
import { findSession, REFERENCE_HELP } from "./reference.js";

interface ExportOptions {
  readonly format: "transcript" | "hermes";
  readonly output?: string;
}

/** `sessions export` */
export function exportCommand(run: Runner): Command {
  return new Command("export")
    .summary("Write sessions as JSON lines.")
    .description("Write sessions as JSON lines, one session a line: all, or those named.")
    .argument("[session...]", REFERENCE_HELP)
    .addOption(
      new Option(
        "--format <format>",
        "transcript: the form that `import` reads; hermes: every column, as Hermes exports",
      )
        .choices(["transcript", "hermes"])
        .default("transcript"),
    )
    .option("--output <file>", "write to a file instead of stdout; it is replaced when all is written")
    .action(run(exportSessions));
}

async function exportSessions(cli: Cli, references: string[], { format, output }: ExportOptions): Promise<void> {
  await withReadStore(cli, async (db) => {
    const ids = references.length === 0 ? undefined : references.map((reference) => findSession(db, reference));
    const lines = format === "hermes" ? hermesLines(db, ids) : exportTranscripts(db, ids && { session_ids: ids });
    if (output === undefined) {
      await printLines(cli, lines);
      return;
    }
    const sessions = await writeFile(output, lines);
    // Stdout is for the sessions alone, so this goes beside it.
    cli.io.stderr.write(
      cli.json ? `${jsonText({ output, sessions }, 0)}\n` : `Wrote ${counted(sessions, "session")} to ${output}.\n`,
    );
  });
}

function* hermesLines(db: SessionDB, ids: readonly string[] | undefined): Generator<string, void, undefined> {
  if (ids === undefined) {
    for (const session of db.exportEach()) yield jsonText(session, 0);
    return;
  }
  for (const id of ids) {
    const session = db.exportSession(id);
    if (session !== null) yield jsonText(session, 0);
  }
}

/** Writes beside the file and takes its place at the end: a file that was there is lost only to a whole one. */
async function writeFile(path: string, lines: Iterable<string>): Promise<number> {
  const partial = `${path}.part-${process.pid}`;
  const stream = createWriteStream(partial, { mode: 0o600 });
  let count = 0;
  try {
    await once(stream, "open");
    for (const line of lines) {
      if (!stream.write(`${line}\n`)) await once(stream, "drain");
      count += 1;
    }
    stream.end();
    await once(stream, "close");
    renameSync(partial, path);
    return count;
  } catch (error) {
    stream.destroy();
    rmSync(partial, { force: true });
    throw error;
  }
}
