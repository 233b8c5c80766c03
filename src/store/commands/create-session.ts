import type { EventMetadata, EventPayloads } from "../../events/index.js";
import type { SessionRow } from "../../projections/sessions.js";
import { readStreamVersion } from "../log/appender.js";
import { EVENT_COLUMNS, toLogEvent, type EventRow } from "../log/event-row.js";
import { DuplicateConflictError, VersionConflictError } from "../log/log-errors.js";
import { sessionRow } from "../queries/session-row.js";
import { firstRow } from "../rows.js";
import { textColumn } from "../values/columns.js";
import { toPythonJson } from "../values/python-json.js";
import { isTruthy } from "../values/truthiness.js";
import type { ExpectedVersion, WriteTransaction } from "../write-transaction.js";

/** What a new session may be given; null and undefined leave a column to what it inherits. */
interface NewSessionFields {
  readonly model?: string | null | undefined;
  /** Stored as JSON text; anything empty is stored as NULL. */
  readonly model_config?: unknown;
  readonly system_prompt?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  /** Routing key of the conversation. */
  readonly session_key?: string | null | undefined;
  readonly chat_id?: string | null | undefined;
  readonly chat_type?: string | null | undefined;
  readonly thread_id?: string | null | undefined;
  /** The session that this one continues, branches from or works for. */
  readonly parent_session_id?: string | null | undefined;
  readonly cwd?: string | null | undefined;
  readonly profile_name?: string | null | undefined;
  readonly git_repo_root?: string | null | undefined;
}

/** Options of our own for the append itself. */
interface CreateSessionOptions {
  /** Caller's key: the same id with the same session creates it once, also after it was deleted. */
  readonly eventId?: string | undefined;
  /** Version the session's stream must have; `none` for a session that must be new. */
  readonly expectedVersion?: ExpectedVersion | undefined;
  /** Actor, correlation and causation, kept with the event. */
  readonly metadata?: EventMetadata | undefined;
}

/** A session to create, under the documented names. */
export interface CreateSessionInput extends NewSessionFields, CreateSessionOptions {
  readonly session_id: string;
  /** Where the session comes from: `cli`, `cron`, a messaging platform … */
  readonly source: string;
}

/** What {@link createSession} takes for a session that should be there already. */
export interface EnsureSessionOptions extends NewSessionFields, CreateSessionOptions {
  /** Of a session that has to be made. Default `unknown`. */
  readonly source?: string | undefined;
}

type Fields = EventPayloads["SessionCreated"]["fields"];
/** Values of text columns by name. */
type Values = Record<string, string | Uint8Array | null>;

/** The columns that a create gives, apart from the source. */
const GIVEN = [
  "model",
  "system_prompt",
  "user_id",
  "session_key",
  "chat_id",
  "chat_type",
  "thread_id",
  "parent_session_id",
  "cwd",
  "profile_name",
  "git_repo_root",
] as const;
/** What a child takes from any parent where it has nothing itself. */
const FROM_PARENT = ["cwd", "git_repo_root", "git_branch", "profile_name"] as const;
/** What it takes besides when it continues a compressed session. */
const FROM_COMPRESSED_PARENT = [
  "user_id",
  "session_key",
  "chat_id",
  "chat_type",
  "thread_id",
  "display_name",
  "origin_json",
] as const;

/**
 * Makes a session, or fills what is still NULL in the one that is there; its source, user and start never change. A
 * child named with its parent takes over the directory and, from a compressed parent, the messaging peer. Returns the
 * id. Emits SessionCreated when anything changes.
 *
 * @throws ParentNotFoundError, VersionConflictError, DuplicateConflictError, and the refusals of values
 */
export function createSession(
  tx: WriteTransaction,
  input: CreateSessionInput,
  cause: EventPayloads["SessionCreated"]["cause"] = "create",
): string {
  const { session_id, source, eventId, expectedVersion = "any", metadata } = input;
  const given = givenValues(input);
  if (eventId !== undefined && isRepetition(tx, eventId, session_id, { source, ...given })) return session_id;
  const row = sessionRow(tx.db, session_id);
  const own: Values = row === null ? { source: textColumn(source, "source"), ...given } : whereNull(row, given);
  const session: Readonly<Record<string, unknown>> = { ...row, ...own };
  const fields = input.parent_session_id ? { ...own, ...inherited(tx, session) } : own;
  if (row !== null && Object.keys(fields).length === 0) {
    requireVersion(tx, session_id, expectedVersion);
    return session_id;
  }
  tx.append(
    {
      type: "SessionCreated",
      payload: { session_id, created: row === null, cause, fields: asFields(fields) },
      event_id: eventId,
      metadata,
    },
    { expectedVersion },
  );
  return session_id;
}

function givenValues(input: CreateSessionInput): Values {
  const config = isTruthy(input.model_config) ? toPythonJson(input.model_config) : null;
  const values: Values = { model_config: textColumn(config, "model_config") };
  for (const column of GIVEN) values[column] = textColumn(input[column], column);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** The given values for columns that are NULL; the user is set by the first create alone. */
function whereNull(row: SessionRow, given: Values): Values {
  const { user_id: _, ...fillable } = given;
  const stored: Readonly<Record<string, unknown>> = row;
  return Object.fromEntries(Object.entries(fillable).filter(([column]) => stored[column] === null));
}

/** What the session takes over from its stored parent, which need not be the one that the call named. */
function inherited(tx: WriteTransaction, session: Readonly<Record<string, unknown>>): Values {
  const parentId = session["parent_session_id"];
  const parent = typeof parentId === "string" ? sessionRow(tx.db, parentId) : null;
  if (parent === null) return {};
  const compressed = parent.end_reason === "compression";
  const values: Values = {};
  for (const column of [...FROM_PARENT, ...(compressed ? FROM_COMPRESSED_PARENT : [])]) {
    if ((session[column] ?? null) === null && parent[column] !== null) values[column] = parent[column];
  }
  return values;
}

function asFields({ source, ...columns }: Values): Fields {
  return source === null || source === undefined ? columns : { source, ...columns };
}

/** Whether the log has this very create already. The same key for anything else is refused. */
function isRepetition(tx: WriteTransaction, eventId: string, sessionId: string, given: Values): boolean {
  const row = firstRow<EventRow>(tx.db, `SELECT ${EVENT_COLUMNS} FROM ledger_events WHERE event_id = ?`, eventId);
  if (row === undefined) return false;
  const event = toLogEvent(row);
  const same = event.type === "SessionCreated" && event.stream_id === sessionId && (event.erased || agrees(event));
  if (!same) throw new DuplicateConflictError(eventId, event.position);
  return true;

  function agrees({ payload }: { payload: EventPayloads["SessionCreated"] }): boolean {
    const stored: Readonly<Record<string, unknown>> = payload.fields;
    // A create of a session that was there wrote only what was missing.
    return Object.entries(given).every(([column, value]) =>
      column in stored ? stored[column] === value : !payload.created,
    );
  }
}

function requireVersion(tx: WriteTransaction, sessionId: string, expected: ExpectedVersion): void {
  if (expected === "any") return;
  const current = readStreamVersion(tx.db, sessionId);
  if (current !== (expected === "none" ? 0 : expected)) throw new VersionConflictError(sessionId, expected, current);
}
