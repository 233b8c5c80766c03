import { Command } from "commander";
import type { Runner } from "../../cli.js";
import { deleteCommand } from "./delete.js";
import { exportCommand } from "./export.js";
import { archiveCommand, pinCommand } from "./flags.js";
import { lineageCommand } from "./lineage.js";
import { listCommand } from "./list.js";
import { pruneCommand } from "./prune.js";
import { renameCommand } from "./rename.js";
import { reopenCommand } from "./reopen.js";
import { resumeCommand } from "./resume.js";
import { showCommand } from "./show.js";
import { statsCommand } from "./stats.js";

/** `sessions …` */
export function sessionsCommand(run: Runner): Command {
  const sessions = new Command("sessions").description("List, show, change, export and delete sessions.");
  const commands = [
    listCommand(run),
    showCommand(run),
    statsCommand(run),
    lineageCommand(run),
    resumeCommand(run),
    exportCommand(run),
    renameCommand(run),
    reopenCommand(run),
    archiveCommand(run),
    pinCommand(run),
    deleteCommand(run),
    pruneCommand(run),
  ];
  for (const command of commands) sessions.addCommand(command);
  return sessions;
}
