import type { Cli } from "./cli.js";
import { NotConfirmedError } from "./output/error.js";

/**
 * Goes on only when the user wants it: `--yes` was given, or the question is answered with yes on the terminal.
 *
 * @throws NotConfirmedError
 */
export async function requireConfirmation(cli: Cli, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  const answer = cli.json ? null : await cli.io.ask(`${question} [y/N] `);
  if (answer === null) {
    throw new NotConfirmedError(
      "Nothing was deleted: there is nobody to ask. Add --yes to delete without a question, or --dry-run to see what would go.",
    );
  }
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new NotConfirmedError("Nothing was deleted.");
}
