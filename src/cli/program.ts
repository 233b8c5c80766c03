import { Command } from "commander";
import { readFileSync } from "node:fs";
import { cliOf, type Cli, type Runner } from "./cli.js";
import { importCommand } from "./commands/import.js";
import { logCommand } from "./commands/log.js";
import { rebuildCommand } from "./commands/rebuild.js";
import { searchCommand } from "./commands/search.js";
import { sessionsCommand } from "./commands/sessions/index.js";
import { tourCommand } from "./commands/tour.js";
import { verifyCommand } from "./commands/verify.js";
import type { Io } from "./io.js";
import { reportError, type ExitStatus } from "./output/error.js";
import { widthOf } from "./output/style.js";

/**
 * Runs the command line: `argv` without the program's own name. Returns the exit status: 0 done, 1 refused or something
 * found wrong, 2 wrong usage. It never throws.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitStatus> {
  // Commander refuses some command lines before it has read the options.
  const json = beforeDashes(argv).includes("--json");
  let status: ExitStatus = 0;
  const runner: Runner = <Args extends unknown[]>(body: (cli: Cli, ...args: Args) => Promise<unknown>) =>
    async function (this: Command, ...args: Args): Promise<void> {
      status = (await body(cliOf(io, this.optsWithGlobals()), ...args)) === 1 ? 1 : 0;
    };
  try {
    const program = buildProgram(io, runner, json);
    const { operands, unknown } = program.parseOptions([...argv]);
    const command = operands.length === 0 && unknown.length === 0 ? ["tour"] : [];
    await program.parseAsync([...argv, ...command], { from: "user" });
    return status;
  } catch (error) {
    return reportError(io, error, json);
  }
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const dashes = argv.indexOf("--");
  return dashes < 0 ? argv : argv.slice(0, dashes);
}

function buildProgram(io: Io, run: Runner, json: boolean): Command {
  const program = new Command("hermes-ledger");
  const commands = [
    importCommand(run),
    sessionsCommand(run),
    searchCommand(run),
    logCommand(run),
    verifyCommand(run),
    rebuildCommand(run),
    tourCommand(run),
  ];
  program
    .description(
      "The event-sourced session store for Hermes agents: an append log and its tables in one SQLite file.\n" +
        "Without a command it shows the tour.",
    )
    .version(version(), "--version")
    .option("--db <path>", "the database file (default: $HERMES_HOME/state.db, else ~/.hermes/state.db)")
    .option("--json", "print JSON, for programs");
  for (const command of commands) program.addCommand(command);
  for (const command of everyCommand(program)) {
    command
      .exitOverride()
      .configureHelp({ showGlobalOptions: true })
      .showHelpAfterError("(--help shows what can be said)")
      .configureOutput({
        writeOut: (text) => io.stdout.write(text),
        // With --json the error follows as JSON, so the text is left out.
        writeErr: (text) => (json ? undefined : io.stderr.write(text)),
        getOutHelpWidth: () => widthOf(io),
        getErrHelpWidth: () => widthOf(io),
      });
  }
  return program;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "";
}
