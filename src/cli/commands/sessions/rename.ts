import { Command } from "commander";
import { print, withWriteStore, type Cli, type Runner } from "../../cli.js";
import { UsageError } from "../../output/error.js";
import { oneLine } from "../../output/text.js";
import { findSession, REFERENCE_HELP } from "./reference.js";

/** `sessions rename` */
export function renameCommand(run: Runner): Command {
  return new Command("rename")
    .summary("Give a session another title.")
    .description("Give a session another title, or with --clear none.")
    .argument("<session>", REFERENCE_HELP)
    .argument("[title]", "the new title; titles are unique and have at most 100 characters")
    .option("--clear", "take the title away")
    .action(run(rename));
}

async function rename(
  cli: Cli,
  reference: string,
  wanted: string | undefined,
  options: { readonly clear?: boolean },
): Promise<void> {
  if ((wanted === undefined) !== (options.clear === true)) throw new UsageError("Give either a title or --clear.");
  await withWriteStore(cli, (db) => {
    const session_id = findSession(db, reference);
    db.setSessionTitle(session_id, wanted ?? null);
    const title = db.getSessionTitle(session_id);
    print(cli, { session_id, title }, () =>
      title === null
        ? `Session ${oneLine(session_id)} has no title now.`
        : `Session ${oneLine(session_id)} is now called “${oneLine(title)}”.`,
    );
  });
}
