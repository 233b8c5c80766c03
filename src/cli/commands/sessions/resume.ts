import { Command } from "commander";
import { print, withReadStore, type Cli, type Runner } from "../../cli.js";
import { counted } from "../../output/numbers.js";
import { oneLine } from "../../output/text.js";
import { findSession, REFERENCE_HELP } from "./reference.js";

/** `sessions resume` */
export function resumeCommand(run: Runner): Command {
  return new Command("resume")
    .summary("Tell which session continues a conversation.")
    .description("Tell which session continues a conversation; with --json also the messages that go to the model.")
    .argument("[session]", REFERENCE_HELP, "last")
    .action(run(resume));
}

async function resume(cli: Cli, reference: string): Promise<void> {
  await withReadStore(cli, (db) => {
    const requested_id = findSession(db, reference);
    const session_id = db.resolveResumeSessionId(requested_id);
    const [conversation, display] = db.getResumeConversations(session_id);
    print(cli, { requested_id, session_id, conversation, display }, () => {
      const title = db.getSessionTitle(session_id);
      const follows = session_id === requested_id ? "" : `, which continues ${oneLine(requested_id)}`;
      return (
        `Resume ${oneLine(session_id)}${title === null ? "" : ` “${oneLine(title)}”`}${follows}: ` +
        `${counted(conversation.length, "message")} for the model, ${display.length} to show.`
      );
    });
  });
}
