import { Command } from "commander";
import type { SessionDB } from "../../../store/session-db.js";
import { print, withWriteStore, type Cli, type Runner } from "../../cli.js";
import { oneLine } from "../../output/text.js";
import { findSession, REFERENCE_HELP } from "./reference.js";

/** `sessions archive` */
export function archiveCommand(run: Runner): Command {
  return new Command("archive")
    .summary("Take conversations out of the list.")
    .description("Take conversations out of the list without deleting anything; all parts of a compressed one follow.")
    .argument("<session...>", REFERENCE_HELP)
    .option("--undo", "bring them back into the list")
    .action(
      run(async (cli, references: string[], { undo = false }: FlagOptions) =>
        setFlags(cli, references, ARCHIVED, !undo),
      ),
    );
}

/** `sessions pin` */
export function pinCommand(run: Runner): Command {
  return new Command("pin")
    .summary("Keep conversations in sight.")
    .description("Pin conversations, so that they stay in sight and are not archived for being old.")
    .argument("<session...>", REFERENCE_HELP)
    .option("--undo", "unpin them")
    .action(
      run(async (cli, references: string[], { undo = false }: FlagOptions) => setFlags(cli, references, PINNED, !undo)),
    );
}

interface FlagOptions {
  readonly undo?: boolean;
}

/** A flag of sessions: its column, its words, and how it is set. */
interface Flag {
  readonly column: "archived" | "pinned";
  readonly words: readonly [set: string, cleared: string];
  readonly set: (db: SessionDB, id: string, value: boolean) => unknown;
}

const ARCHIVED: Flag = {
  column: "archived",
  words: ["archived", "no longer archived"],
  set: (db, id, value) => db.setSessionArchived(id, value),
};
const PINNED: Flag = {
  column: "pinned",
  words: ["pinned", "no longer pinned"],
  set: (db, id, value) => db.setSessionPinned(id, value),
};

async function setFlags(cli: Cli, references: readonly string[], flag: Flag, value: boolean): Promise<void> {
  await withWriteStore(cli, (db) => {
    // All references are understood before anything is changed.
    const ids = [...new Set(references.map((reference) => findSession(db, reference)))];
    db.transaction(() => {
      for (const id of ids) flag.set(db, id, value);
    });
    print(cli, { session_ids: ids, [flag.column]: value }, () =>
      ids.map((id) => `Session ${oneLine(id)} is ${flag.words[value ? 0 : 1]}.`).join("\n"),
    );
  });
}
