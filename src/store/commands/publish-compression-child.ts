import type { EventPayloads } from "../../events/index.js";
import { firstRow } from "../rows.js";
import { textColumn } from "../values/columns.js";
import { toPythonJson } from "../values/python-json.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";
import { newTranscript } from "./new-transcript.js";
import {
  CompressionLeaseLostError,
  CompressionParentEndedError,
  CompressionParentNotFoundError,
  EmptyHandoffError,
} from "./publish-errors.js";

/** What the continuation of a compressed session may be given. */
export interface PublishCompressionChildOptions {
  readonly model?: string | null | undefined;
  /** An object, stored as JSON; an empty one is stored as NULL. */
  readonly model_config?: unknown;
  readonly system_prompt?: string | null | undefined;
  /** Default: the parent's. */
  readonly cwd?: string | null | undefined;
  /** Default: the parent's. */
  readonly profile_name?: string | null | undefined;
  /** Who holds the parent's compression lock. */
  readonly compression_lock_holder?: string | null | undefined;
  /** Whether that lock must be held and not have run out. Default true. */
  readonly require_compression_lease?: boolean | undefined;
}

/** What the continuation takes over from the session it continues. */
const INHERITED = [
  "git_branch",
  "git_repo_root",
  "user_id",
  "session_key",
  "chat_id",
  "chat_type",
  "thread_id",
  "display_name",
  "origin_json",
] as const;

type Fields = EventPayloads["SessionCreated"]["fields"];
type Parent = Record<(typeof INHERITED)[number] | "cwd" | "profile_name", string | null> & {
  readonly ended_at: number | null;
};

/**
 * Makes the continuation of a compressed session with its first messages, and ends the session with `compression`. The
 * lock stays with its holder. Emits SessionCreated, TranscriptRewritten and SessionEnded.
 *
 * @throws CompressionLeaseLostError, CompressionParentNotFoundError, CompressionParentEndedError, EmptyHandoffError,
 *   SessionExistsError for the child, and the refusals of messages
 */
export function publishCompressionChild(
  tx: WriteTransaction,
  parentSessionId: string,
  childSessionId: string,
  source: string,
  messages: readonly object[],
  options: PublishCompressionChildOptions = {},
): void {
  if (options.require_compression_lease ?? true) {
    requireLease(tx, parentSessionId, options.compression_lock_holder);
  }
  const parent = firstRow<Parent>(tx.db, PARENT, parentSessionId);
  if (parent === undefined) throw new CompressionParentNotFoundError(parentSessionId);
  if (parent.ended_at !== null) throw new CompressionParentEndedError(parentSessionId);
  if (messages.length === 0) throw new EmptyHandoffError(childSessionId);
  tx.append({
    type: "SessionCreated",
    payload: {
      session_id: childSessionId,
      created: true,
      cause: "publish",
      fields: { ...fieldsOf(parent, options), source, parent_session_id: parentSessionId },
    },
  });
  const transcript = newTranscript(tx, messages);
  tx.append({ type: "TranscriptRewritten", payload: { session_id: childSessionId, mode: "seed", ...transcript } });
  tx.append({ type: "SessionEnded", payload: { session_id: parentSessionId, end_reason: "compression" } });
}

function requireLease(tx: WriteTransaction, parentSessionId: string, holder: string | null | undefined): void {
  const sql = "SELECT 1 FROM compression_locks WHERE session_id = ? AND holder = ? AND expires_at > ?";
  const held = holder ? firstRow(tx.db, sql, parentSessionId, holder, tx.now()) : undefined;
  if (held === undefined) throw new CompressionLeaseLostError(parentSessionId);
}

function fieldsOf(parent: Parent, options: PublishCompressionChildOptions): Fields {
  const inherited = INHERITED.map((column): [string, string | null] => [column, parent[column]]);
  const own: [string, unknown][] = [
    ["model", options.model],
    ["model_config", isTruthy(options.model_config) ? toPythonJson(options.model_config) : null],
    ["system_prompt", options.system_prompt],
    ["cwd", options.cwd || parent.cwd],
    ["profile_name", options.profile_name || parent.profile_name],
  ];
  const given = [...own, ...inherited].map(([column, value]): [string, unknown] => [column, textColumn(value, column)]);
  return Object.fromEntries(given.filter(([, value]) => value !== null));
}

const PARENT = `SELECT ended_at, cwd, profile_name, ${INHERITED.join(", ")} FROM sessions WHERE id = ?`;
