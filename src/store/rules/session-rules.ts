import type { EventType } from "../../events/index.js";
import { clearTraces } from "../log/clear-traces.js";
import { eraseStream } from "../log/erase.js";
import { statement } from "../statements.js";
import { sanitizeTitle } from "../values/title.js";
import { rule } from "./rule.js";
import {
  EventNotAllowedError,
  ImportedTitleTakenError,
  SessionExistsError,
  SessionNotFoundError,
  TitleInUseError,
} from "./rule-errors.js";
import { childrenOutside, messageSequence, requireParent, requireSession, sessionState } from "./stored-rows.js";
import type { WriteTransaction } from "../write-transaction.js";

/** End reasons that only say that a program went away; a deliberate reset may override them. */
export const ACCIDENTAL_END_REASONS: readonly string[] = ["agent_close", "ws_orphan_reap"];

/** Decides whether the row is new; parent and title must fit. */
export const sessionCreatedRule = rule<"SessionCreated">({
  complete: (tx, input, known) => {
    const created = input.created ?? known?.created ?? sessionState(tx.db, input.session_id) === undefined;
    const started_at = input.fields.started_at ?? known?.fields.started_at ?? (created ? tx.now() : undefined);
    return {
      ...input,
      created,
      cause: input.cause ?? known?.cause ?? "create",
      fields: { ...input.fields, started_at },
    };
  },
  admit: (tx, { session_id, created, fields }) => {
    if (created) {
      if (sessionState(tx.db, session_id) !== undefined) throw new SessionExistsError(session_id);
      if (fields.source === undefined) throw new EventNotAllowedError("SessionCreated", "a new session needs a source");
    } else {
      requireSession(tx.db, session_id);
    }
    requireParent(tx.db, session_id, fields.parent_session_id);
    requireCleanTitle("SessionCreated", fields.title);
    requireFreeTitle(tx, session_id, fields.title);
  },
});

/** The session is new, and its title is free. */
export const sessionImportedRule = rule<"SessionImported">({
  admit: (tx, { session_id, fields }) => {
    if (sessionState(tx.db, session_id) !== undefined) throw new SessionExistsError(session_id);
    if (fields.source === undefined || fields.started_at === undefined) {
      throw new EventNotAllowedError("SessionImported", "a session needs a source and a start");
    }
    requireParent(tx.db, session_id, fields.parent_session_id);
    const holder = titleHolder(tx, session_id, fields.title);
    if (holder !== undefined) throw new ImportedTitleTakenError(String(fields.title), session_id, holder.id);
  },
});

/** The first end wins, except over an accidental one. */
export const sessionEndedRule = rule<"SessionEnded">({
  complete: (tx, input, known) => ({
    session_id: input.session_id,
    ended_at: input.ended_at ?? known?.ended_at ?? tx.now(),
    end_reason: input.end_reason ?? null,
  }),
  admit: (tx, { session_id }) => {
    const { ended_at, end_reason } = requireSession(tx.db, session_id);
    if (ended_at !== null && !ACCIDENTAL_END_REASONS.includes(end_reason ?? "")) {
      throw new EventNotAllowedError(
        "SessionEnded",
        `session '${session_id}' has ended already, and the first end wins`,
      );
    }
  },
});

/** Only an ended session is reopened. */
export const sessionReopenedRule = rule<"SessionReopened">({
  admit: (tx, { session_id }) => {
    const { ended_at, end_reason } = requireSession(tx.db, session_id);
    if (ended_at === null && end_reason === null) {
      throw new EventNotAllowedError("SessionReopened", `session '${session_id}' has not ended`);
    }
  },
});

/** The title is in its cleaned form and free. */
export const titleSetRule = rule<"TitleSet">({
  complete: (_tx, input, known) => ({ ...input, released_from: input.released_from ?? known?.released_from ?? null }),
  admit: (tx, { session_id, title }) => {
    requireSession(tx.db, session_id);
    requireCleanTitle("TitleSet", title);
    requireFreeTitle(tx, session_id, title);
  },
});

/** Session and new parent exist. */
export const sessionUpdatedRule = rule<"SessionUpdated">({
  admit: (tx, { session_id, fields }) => {
    requireSession(tx.db, session_id);
    requireParent(tx.db, session_id, fields.parent_session_id);
  },
});

/** For events that only need their session to be there. */
export const ofExistingSession = {
  admit: (tx: WriteTransaction, { session_id }: { session_id: string }): void => void requireSession(tx.db, session_id),
};

/** Fills in the children that lose their parent; all events of the sessions are erased with them. */
export const sessionsDeletedRule = rule<"SessionsDeleted">({
  complete: (tx, input, known) => ({
    session_ids: input.session_ids,
    detached_ids: input.detached_ids ?? known?.detached_ids ?? childrenOutside(tx.db, input.session_ids),
    cause: input.cause ?? known?.cause ?? "delete",
    through_id: input.through_id ?? known?.through_id ?? messageSequence(tx.db),
  }),
  admit: (tx, { session_ids, detached_ids, through_id }) => {
    for (const id of session_ids) if (sessionState(tx.db, id) === undefined) throw new SessionNotFoundError(id);
    const children = childrenOutside(tx.db, session_ids);
    if ([...detached_ids].sort().join("\0") !== [...children].sort().join("\0")) {
      throw new EventNotAllowedError("SessionsDeleted", "detached_ids are not exactly the children that stay");
    }
    if (through_id !== messageSequence(tx.db)) {
      throw new EventNotAllowedError("SessionsDeleted", "through_id is not the highest message id given out");
    }
  },
  after: (tx, event) => {
    for (const id of event.payload.session_ids) eraseStream(tx.db, id, event.position - 1);
    tx.afterCommit(() => clearTraces(tx.db), "clear traces");
  },
});

function requireCleanTitle(type: EventType, title: unknown): void {
  if (typeof title === "string" && sanitizeTitle(title) !== title) {
    throw new EventNotAllowedError(type, "the title is not in its cleaned form");
  }
}

function requireFreeTitle(tx: WriteTransaction, sessionId: string, title: unknown): void {
  const holder = titleHolder(tx, sessionId, title);
  if (holder === undefined) return;
  throw new TitleInUseError(String(title), { id: holder.id, source: holder.source, archived: holder.archived !== 0 });
}

/** The other session that has this title, or undefined. */
function titleHolder(
  tx: WriteTransaction,
  sessionId: string,
  title: unknown,
): { id: string; source: string; archived: number } | undefined {
  if (typeof title !== "string") return undefined;
  return statement<{ id: string; source: string; archived: number }>(
    tx.db,
    "SELECT id, source, archived FROM sessions WHERE title = ? AND id <> ?",
  ).get(title, sessionId);
}
