import type { SessionDB } from "../../../store/session-db.js";
import { LedgerError } from "../../../events/index.js";

/** How a session may be named on the command line; for the help texts. */
export const REFERENCE_HELP = 'an id, the beginning of one, a title, or "last"';

/** No session is meant by what was given. */
export class UnknownSessionError extends LedgerError {
  readonly reference: string;

  constructor(reference: string) {
    super(
      "not_found",
      "UNKNOWN_SESSION",
      reference === "last"
        ? "There is no session yet."
        : `No session has the id or title '${reference}', and no id begins with it. To see them: hermes-ledger sessions list`,
    );
    this.reference = reference;
  }
}

/** More than one session may be meant by what was given. */
class AmbiguousSessionError extends LedgerError {
  readonly reference: string;
  readonly candidates: readonly string[];

  constructor(reference: string, candidates: readonly string[]) {
    const shown = candidates.slice(0, SHOWN).map((id) => `\n  ${id}`);
    const more = candidates.length > SHOWN ? `\n  … and ${candidates.length - SHOWN} more` : "";
    super(
      "validation",
      "AMBIGUOUS_SESSION",
      `'${reference}' is the beginning of ${candidates.length} session ids; nothing was done. Give more of it:` +
        shown.join("") +
        more,
    );
    this.reference = reference;
    this.candidates = candidates;
  }
}

const SHOWN = 10;

/**
 * The id of the session that is meant: by its id, the beginning of it, its title, or `last` for the one with the latest
 * activity.
 *
 * @throws UnknownSessionError, AmbiguousSessionError
 */
export function findSession(db: SessionDB, reference: string): string {
  if (reference === "last" && db.getSession(reference) === null) {
    const [last] = db.searchSessions({ limit: 1 });
    if (last === undefined) throw new UnknownSessionError(reference);
    return last.id;
  }
  const found = db.resolveSessionReference(reference);
  switch (found.outcome) {
    case "ok":
      return found.session_id;
    case "ambiguous":
      throw new AmbiguousSessionError(reference, found.candidates);
    case "not-found":
      throw new UnknownSessionError(reference);
  }
}
