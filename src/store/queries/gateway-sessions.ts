import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../projections/sessions.js";
import { allRows, firstRow } from "../rows.js";
import { textArgument } from "../values/arguments.js";
import { strip } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import { LAST_ACTIVE_SQL } from "./last-active.js";
import { SESSION_COLUMNS } from "./session-row.js";

/** A session of the messaging gateway. */
export interface GatewaySession extends SessionRow {
  /** Epoch seconds of the heartbeat, the newest message or the start, whichever is last. */
  readonly last_active: number;
}

/** Which sessions of the gateway to list. */
export interface GatewaySessionsOptions {
  /** Only of this source, whatever its letter case. */
  readonly platform?: string | null | undefined;
  /** Only sessions that have not ended. Default true. */
  readonly active_only?: boolean | undefined;
}

/**
 * The newest session of each routing key, those active last first. A newer session hides an older one of its key even
 * where it has ended itself.
 */
export function listGatewaySessions(db: Database, options: GatewaySessionsOptions = {}): GatewaySession[] {
  const platform = isTruthy(options.platform) ? textArgument(options.platform, "platform") : null;
  const active_only = isTruthy(options.active_only ?? true) ? 1 : 0;
  return allRows<GatewaySession>(db, NEWEST_BY_KEY, { platform, active_only });
}

/** Narrows a search for a session by its origin. */
export interface OriginOptions {
  /** Given, even as `''`, only this thread counts. */
  readonly thread_id?: string | null | undefined;
  readonly user_id?: string | null | undefined;
}

/**
 * Id of the live session of a chat: the newest of the given user, else the only one there is; without a user the
 * newest, unless several users have one. Null where that leaves none or no clear one.
 */
export function findSessionByOrigin(
  db: Database,
  platform: string,
  chatId: string | null,
  options: OriginOptions = {},
): string | null {
  const chat_id = textArgument(chatId, "chat_id");
  if (!isTruthy(platform) || chat_id === null || chat_id === "") return null;
  const thread_id = textArgument(options.thread_id, "thread_id");
  const rows = allRows<{ id: string; user_id: string | null }>(db, LIVE_OF_CHAT, { platform, chat_id, thread_id });
  const user = textArgument(options.user_id, "user_id");
  if (user) {
    const own = rows.find((row) => row.user_id === user);
    return own?.id ?? (rows.length === 1 ? (rows[0]?.id ?? null) : null);
  }
  const users = new Set(rows.map((row) => strip(row.user_id ?? "")).filter((name) => name !== ""));
  return users.size > 1 ? null : (rows[0]?.id ?? null);
}

/** The messaging peer to find a session of. */
export interface PeerOptions {
  readonly user_id?: string | null | undefined;
  /** Routing key; without it nothing is found. */
  readonly session_key?: string | null | undefined;
  readonly chat_id?: string | null | undefined;
  readonly chat_type?: string | null | undefined;
  readonly thread_id?: string | null | undefined;
}

/**
 * The newest session of a peer that can go on: it has messages, and is live or ended only because its program went
 * away. The routing key counts first; then, where chat and its type are given, the whole peer, NULL being `''`.
 */
export function findLatestGatewaySessionForPeer(
  db: Database,
  source: string,
  options: PeerOptions = {},
): SessionRow | null {
  if (!isTruthy(options.session_key)) return null;
  const peer = {
    source: textArgument(source, "source"),
    user_id: textArgument(options.user_id, "user_id"),
    session_key: textArgument(options.session_key, "session_key"),
    chat_id: textArgument(options.chat_id, "chat_id"),
    chat_type: textArgument(options.chat_type, "chat_type"),
    thread_id: textArgument(options.thread_id, "thread_id"),
  };
  const byKey = firstRow<SessionRow>(db, RECOVERABLE_BY_KEY, { source: peer.source, session_key: peer.session_key });
  if (byKey !== undefined) return byKey;
  if (peer.chat_id === null || peer.chat_type === null) return null;
  const { session_key: _, ...tuple } = peer;
  return firstRow<SessionRow>(db, RECOVERABLE_BY_PEER, tuple) ?? null;
}

const NEWEST_BY_KEY = `
  SELECT ${SESSION_COLUMNS}, ${LAST_ACTIVE_SQL} AS last_active
    FROM sessions s
   WHERE s.session_key IS NOT NULL
     AND s.started_at = (SELECT max(other.started_at) FROM sessions other WHERE other.session_key = s.session_key)
     AND (@platform IS NULL OR lower(s.source) = lower(@platform))
     AND (@active_only = 0 OR s.ended_at IS NULL)
   ORDER BY last_active DESC, s.started_at DESC, s.id`;

const LIVE_OF_CHAT = `
  SELECT id, user_id FROM sessions
   WHERE lower(source) = lower(@platform) AND session_key IS NOT NULL AND chat_id = @chat_id AND ended_at IS NULL
     AND (@thread_id IS NULL OR COALESCE(thread_id, '') = @thread_id)
   ORDER BY started_at DESC, id`;

const RECOVERABLE = `
  (s.ended_at IS NULL OR s.end_reason IN ('agent_close', 'ws_orphan_reap'))
  AND (s.message_count > 0 OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id))`;

const RECOVERABLE_BY_KEY = `
  SELECT ${SESSION_COLUMNS} FROM sessions s
   WHERE s.session_key = @session_key AND s.source = @source AND ${RECOVERABLE}
   ORDER BY s.started_at DESC, s.id LIMIT 1`;

const RECOVERABLE_BY_PEER = `
  SELECT ${SESSION_COLUMNS} FROM sessions s
   WHERE s.source = @source
     AND COALESCE(s.user_id, '') = COALESCE(@user_id, '') AND COALESCE(s.chat_id, '') = COALESCE(@chat_id, '')
     AND COALESCE(s.chat_type, '') = COALESCE(@chat_type, '') AND COALESCE(s.thread_id, '') = COALESCE(@thread_id, '')
     AND ${RECOVERABLE}
   ORDER BY s.started_at DESC, s.id LIMIT 1`;
