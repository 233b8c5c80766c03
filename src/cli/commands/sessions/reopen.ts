import { Command } from "commander";
import { print, withWriteStore, type Cli, type Runner } from "../../cli.js";
import { oneLine } from "../../output/text.js";
import { findSession, REFERENCE_HELP } from "./reference.js";

/** `sessions reopen` */
export function reopenCommand(run: Runner): Command {
  return new Command("reopen")
    .description("Make an ended session live again.")
    .argument("<session>", REFERENCE_HELP)
    .action(run(reopen));
}

async function reopen(cli: Cli, reference: string): Promise<void> {
  await withWriteStore(cli, (db) => {
    const session_id = findSession(db, reference);
    const before = db.getSession(session_id);
    const reopened = before !== null && (before.ended_at !== null || before.end_reason !== null);
    db.reopenSession(session_id);
    print(cli, { session_id, reopened }, () =>
      reopened
        ? `Session ${oneLine(session_id)} is live again.`
        : `Session ${oneLine(session_id)} had not ended; nothing was changed.`,
    );
  });
}
