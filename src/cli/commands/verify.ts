import { Command, InvalidArgumentError } from "commander";
import type { VerifyOptions, VerifyReport } from "../../store/audit/verify.js";
import { print, withReadStore, type Cli, type Runner } from "../cli.js";
import type { ExitStatus } from "../output/error.js";
import { jsonText } from "../output/json.js";
import { counted, formatCount } from "../output/numbers.js";
import { progressBar } from "../output/progress.js";
import { renderTable } from "../output/table.js";
import { fitText, oneLine, visibleText } from "../output/text.js";

type Head = NonNullable<VerifyOptions["head"]>;

/** `verify` */
export function verifyCommand(run: Runner): Command {
  return new Command("verify")
    .summary("Prove that log and tables are sound.")
    .description("Prove the store: the hash chain of the log holds, and every table is what the log says.")
    .option("--deep", "check the b-trees and the content of the full-text indexes too")
    .option("--head <position:hash>", "a head noted earlier: the log must still have it", readHead)
    .action(run(verify));
}

/** Reads `POSITION:HASH`, as `verify` prints it. */
function readHead(text: string): Head {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (position === undefined || hash === undefined) {
    throw new InvalidArgumentError("It must be a position, a colon, and 64 hexadecimal digits, as verify prints them.");
  }
  return { position: Number(position), hash: hash.toLowerCase() };
}

async function verify(cli: Cli, options: { readonly deep?: boolean; readonly head?: Head }): Promise<ExitStatus> {
  return withReadStore(cli, (db) => {
    const bar = progressBar(cli.io);
    let report: VerifyReport;
    try {
      report = db.verify({ ...options, onProgress: bar.onProgress });
    } finally {
      bar.stop();
    }
    print(cli, { ...report, pin: pinOf(report) }, () => verifyText(cli, report));
    return report.ok ? 0 : 1;
  });
}

/** The end of the log as `--head` takes it. */
function pinOf({ chain: { head } }: VerifyReport): string {
  return `${head.position}:${head.hash}`;
}

/** What a verification found, for people. */
function verifyText(cli: Pick<Cli, "style" | "width">, report: VerifyReport): string {
  const { style } = cli;
  const { chain, tables } = report;
  const erased = chain.erased === 0 ? "" : `, ${formatCount(chain.erased)} of them erased`;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = [
    ...(report.ok
      ? [`${style.green("Everything holds.")} ${counted(chain.events, "event")} in one unbroken chain${erased};`]
      : [
          style.red("Something is wrong."),
          ...findings(cli, report),
          `${counted(chain.events, "event")} read${erased}.`,
        ]),
    ...(report.ok ? [`${counted(rows, "row")} in ${counted(tables.length, "table")} are exactly what they say.`] : []),
    "",
    "To notice a log that was cut off or rewritten as a whole, note its head",
    "elsewhere and give it to verify later:",
    style.dim(`  --head ${pinOf(report)}`),
  ];
  return lines.join("\n");
}

function findings(cli: Pick<Cli, "style" | "width">, report: VerifyReport): string[] {
  const differing = report.tables.filter((table) => table.differing > 0);
  return [
    ...(report.chain.problem === null ? [] : [`  chain: ${report.chain.problem.message}`]),
    ...(report.replay_error === null ? [] : [`  replay: ${visibleText(report.replay_error)}`]),
    ...(differing.length === 0 ? [] : ["", differencesTable(cli, report), ""]),
    ...(report.foreign_key_violations === 0
      ? []
      : [`  ${counted(report.foreign_key_violations, "row")} refer to a row that is not there`]),
    ...(report.index_problems ?? []).map((problem) => `  index: ${visibleText(problem)}`),
  ];
}

function differencesTable(cli: Pick<Cli, "style" | "width">, report: VerifyReport): string {
  return renderTable(
    [
      { head: "TABLE", cell: ({ table }) => table },
      { head: "ROWS", cell: ({ rows }) => formatCount(rows), right: true },
      { head: "DIFFER", cell: ({ differing }) => formatCount(differing), right: true },
      { head: "FOR EXAMPLE", cell: ({ table }) => example(report, table), least: 20 },
    ],
    report.tables.filter(({ differing }) => differing > 0),
    cli,
  );
}

function example(report: VerifyReport, table: string): string {
  const first = report.differences.find((difference) => difference.table === table);
  if (first === undefined) return "";
  const key = Object.values(first.key)
    .map((value) => shown(value))
    .join(", ");
  const column = first.column === null ? "" : `, ${first.column}: ${shown(first.found)}, log: ${shown(first.expected)}`;
  return oneLine(`${first.kind} ${key}${column}`);
}

function shown(value: unknown): string {
  return fitText(oneLine(jsonText(value, 0)), 30);
}
