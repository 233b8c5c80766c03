import type { Database } from "better-sqlite3";
import { firstRow } from "../rows.js";

interface Link {
  readonly id: string;
  readonly parent_session_id: string | null;
  readonly end_reason: string | null;
  /** 1 for a session that was branched off. */
  readonly branch: number;
}

/**
 * The sessions into which compression cut a conversation, the oldest first. A branch begins a conversation of its own.
 * Where a compressed session has several continuations the one that started first counts; a session that is not on
 * that path is alone in its lineage. `[]` for an unknown session. Cycles end before a repetition.
 */
export function getCompressionLineage(db: Database, sessionId: string): string[] {
  const start = firstRow<Link>(db, BY_ID, sessionId);
  if (start === undefined) return [];
  if (start.branch === 1) return [sessionId];
  const path = pathDown(db, compressionRoot(db, start));
  return path.includes(sessionId) ? path : [sessionId];
}

function compressionRoot(db: Database, start: Link): Link {
  const seen = new Set([start.id]);
  let current = start;
  for (;;) {
    if (current.branch === 1 || current.parent_session_id === null || seen.has(current.parent_session_id)) {
      return current;
    }
    const parent = firstRow<Link>(db, BY_ID, current.parent_session_id);
    if (parent?.end_reason !== "compression") return current;
    seen.add(parent.id);
    current = parent;
  }
}

function pathDown(db: Database, root: Link): string[] {
  const path = new Set<string>();
  let current: Link | undefined = root;
  while (current !== undefined && !path.has(current.id)) {
    path.add(current.id);
    current = current.end_reason === "compression" ? firstRow<Link>(db, FIRST_CHILD, current.id) : undefined;
  }
  return [...path];
}

// A model_config that is no JSON has no marker; read without the guard it would fail the query.
const BRANCH =
  "(CASE WHEN json_valid(model_config) THEN json_extract(model_config, '$._branched_from') END IS NOT NULL)";
const LINK = `SELECT id, parent_session_id, end_reason, ${BRANCH} AS branch FROM sessions`;
const BY_ID = `${LINK} WHERE id = ?`;
const FIRST_CHILD = `${LINK} WHERE parent_session_id = ? AND NOT ${BRANCH} ORDER BY started_at, id LIMIT 1`;
