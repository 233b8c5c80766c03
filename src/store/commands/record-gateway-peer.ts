import type { EventPayloads } from "../../events/index.js";
import { CONTINUES_SQL } from "../queries/session-markers.js";
import { sessionRow } from "../queries/session-row.js";
import { allRows } from "../rows.js";
import { keyArgument, textArgument } from "../values/arguments.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";

/** Who talks in a session, under the documented names. */
export interface GatewayPeerOptions {
  readonly user_id?: string | null | undefined;
  /** Routing key of the conversation; without it nothing is recorded. */
  readonly session_key?: string | null | undefined;
  readonly chat_id?: string | null | undefined;
  readonly chat_type?: string | null | undefined;
  readonly thread_id?: string | null | undefined;
  /** Kept where it is not given. */
  readonly display_name?: string | null | undefined;
  /** JSON text, not looked at; kept where it is not given. */
  readonly origin_json?: string | null | undefined;
  /** Also for the compressed sessions that this one continues. Default false. */
  readonly include_compression_ancestors?: boolean | undefined;
}

/**
 * Records the messaging peer of a session, and with `include_compression_ancestors` of those it continues. What is not
 * given becomes NULL, except for the name and the origin. Emits GatewayPeerRecorded for each session that changes.
 */
export function recordGatewaySessionPeer(
  tx: WriteTransaction,
  sessionId: string,
  source: string,
  options: GatewayPeerOptions = {},
): void {
  if (!isTruthy(sessionId) || !isTruthy(options.session_key)) return;
  const fields = peerFields(source, options);
  for (const session_id of isTruthy(options.include_compression_ancestors) ? lineage(tx, sessionId) : [sessionId]) {
    const row: Readonly<Record<string, unknown>> | null = sessionRow(tx.db, session_id);
    if (row === null || Object.entries(fields).every(([column, value]) => row[column] === value)) continue;
    tx.append({ type: "GatewayPeerRecorded", payload: { session_id, fields } });
  }
}

function peerFields(source: string, options: GatewayPeerOptions): EventPayloads["GatewayPeerRecorded"]["fields"] {
  const display_name = textArgument(options.display_name, "display_name");
  const origin_json = textArgument(options.origin_json, "origin_json");
  return {
    session_key: textArgument(options.session_key, "session_key"),
    source: keyArgument(source, "source"),
    user_id: textArgument(options.user_id, "user_id"),
    chat_id: textArgument(options.chat_id, "chat_id"),
    chat_type: textArgument(options.chat_type, "chat_type"),
    thread_id: textArgument(options.thread_id, "thread_id"),
    ...(display_name === null ? {} : { display_name }),
    ...(origin_json === null ? {} : { origin_json }),
  };
}

function lineage(tx: WriteTransaction, sessionId: string): string[] {
  return allRows<{ id: string }>(tx.db, LINEAGE, sessionId).map(({ id }) => id);
}

// UNION drops what was there already, so cycles of parents end.
const LINEAGE = `
  WITH RECURSIVE above(id) AS (
    SELECT id FROM sessions WHERE id = ?
    UNION
    SELECT p.id FROM above JOIN sessions s ON s.id = above.id JOIN sessions p ON p.id = s.parent_session_id
     WHERE p.end_reason = 'compression' AND ${CONTINUES_SQL}
  )
  SELECT id FROM above`;
