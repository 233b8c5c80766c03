import { Command } from "commander";
import type { SessionRow } from "../../../projections/sessions.js";
import { LedgerError } from "../../../events/index.js";
import type { SessionDB } from "../../../store/session-db.js";
import { print, withReadStore, withWriteStore, type Cli, type Runner } from "../../cli.js";
import { requireConfirmation } from "../../confirm.js";
import { counted, formatCount } from "../../output/numbers.js";
import { renderTable } from "../../output/table.js";
import { oneLine } from "../../output/text.js";
import { formatTime } from "../../output/time.js";
import { findSession, REFERENCE_HELP } from "./reference.js";

interface DeleteOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** What a deletion takes: a session that was named, or a delegate that goes with one. */
interface Doomed {
  readonly id: string;
  readonly session: SessionRow;
  readonly delegate_of: string | null;
}

/** The sessions to delete changed between the question and the deletion. */
class DeletionChangedError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(
      "state",
      "DELETION_CHANGED",
      `Session '${sessionId}' or its delegates changed in the meantime; nothing was deleted. Try again.`,
    );
    this.sessionId = sessionId;
  }
}

/** `sessions delete` */
export function deleteCommand(run: Runner): Command {
  return new Command("delete")
    .summary("Delete sessions and erase their text.")
    .description("Delete sessions with all their messages, and their delegates. Their text is erased from the log too.")
    .argument("<session...>", REFERENCE_HELP)
    .option("--yes", "do not ask")
    .option("--dry-run", "only say what would go")
    .action(run(deleteSessions));
}

async function deleteSessions(cli: Cli, references: string[], options: DeleteOptions): Promise<void> {
  if (options.dryRun === true) {
    await withReadStore(cli, (db) => {
      const doomed = doomedSessions(db, references);
      print(cli, result(doomed, true), () => `${doomedText(cli, doomed)}\n\nNothing was deleted (--dry-run).`);
    });
    return;
  }
  await withWriteStore(cli, async (db) => {
    const doomed = doomedSessions(db, references);
    if (!cli.json && options.yes !== true) cli.io.stdout.write(`${doomedText(cli, doomed)}\n\n`);
    await requireConfirmation(cli, `Delete ${counted(doomed.length, "session")} for good?`, options.yes ?? false);
    deleteAll(db, doomed);
    print(cli, result(doomed, false), () => deletedText(doomed));
  });
}

/** Deletes what was shown: all of it, or nothing when more would go by now. */
function deleteAll(db: SessionDB, doomed: readonly Doomed[]): void {
  const shown = new Set(doomed.map(({ id }) => id));
  db.transaction(() => {
    for (const { id, delegate_of } of doomed) {
      if (delegate_of !== null) continue;
      const expected_delete_ids = db.getSessionDeleteTargets(id);
      const asShown = expected_delete_ids.length > 0 && expected_delete_ids.every((target) => shown.has(target));
      if (!asShown || !db.deleteSession(id, { expected_delete_ids })) throw new DeletionChangedError(id);
    }
  });
}

/** The sessions that were named and, each behind its own, the delegates that go with them. */
function doomedSessions(db: SessionDB, references: readonly string[]): Doomed[] {
  const doomed = new Map<string, Doomed>();
  for (const id of references.map((reference) => findSession(db, reference))) {
    if (doomed.has(id)) continue;
    for (const target of db.getSessionDeleteTargets(id)) {
      const session = db.getSession(target);
      // A session that was named before, and is a delegate of this one, goes with this one.
      if (session !== null) doomed.set(target, { id: target, session, delegate_of: target === id ? null : id });
    }
  }
  return [...doomed.values()];
}

function result(doomed: readonly Doomed[], dry_run: boolean): object {
  return {
    dry_run,
    deleted: dry_run ? 0 : doomed.length,
    sessions: doomed.map(({ id, session: { title, source, message_count, started_at }, delegate_of }) => ({
      id,
      title,
      source,
      message_count,
      started_at,
      delegate_of,
    })),
  };
}

function doomedText(cli: Cli, doomed: readonly Doomed[]): string {
  const table = renderTable(
    [
      { head: "ID", cell: ({ id }) => oneLine(id), least: 22 },
      {
        head: "TITLE",
        cell: ({ session, delegate_of }) =>
          oneLine(session.title ?? (delegate_of === null ? "–" : `(delegate of ${delegate_of})`)),
        least: 12,
      },
      { head: "SOURCE", cell: ({ session }) => oneLine(session.source), least: 8 },
      { head: "MSGS", cell: ({ session }) => formatCount(session.message_count), right: true },
      { head: "STARTED", cell: ({ session }) => formatTime(session.started_at) },
    ],
    doomed,
    cli,
  );
  return `${table}\n\n${counted(doomed.length, "session")}, ${counted(messagesOf(doomed), "message")}`;
}

function deletedText(doomed: readonly Doomed[]): string {
  return `Deleted ${counted(doomed.length, "session")} with ${counted(messagesOf(doomed), "message")}.`;
}

function messagesOf(doomed: readonly Doomed[]): number {
  return doomed.reduce((sum, { session }) => sum + (session.message_count ?? 0), 0);
}
