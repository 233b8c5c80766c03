import type { Database } from "better-sqlite3";
import { allRows, firstRow } from "../rows.js";
import { escapeLike } from "../values/text.js";
import { resolveSessionByTitle } from "./session-titles.js";

/** What a person's word for a session stands for. */
export type SessionReference =
  | { readonly outcome: "ok"; readonly session_id: string }
  /** The beginning of several ids: these. */
  | { readonly outcome: "ambiguous"; readonly candidates: string[] }
  | { readonly outcome: "not-found" };

/** The session with this id, or the only one whose id begins so; null when there is none or several do. */
export function resolveSessionId(db: Database, idOrPrefix: string): string | null {
  if (hasId(db, idOrPrefix)) return idOrPrefix;
  // A second match decides as well as all of them.
  const [only, another] = allRows<{ id: string }>(db, `${WITH_PREFIX} LIMIT 2`, `${escapeLike(idOrPrefix)}%`);
  return only !== undefined && another === undefined ? only.id : null;
}

/**
 * Which session a person means: an id, the beginning of exactly one, or a title, in this order. Wildcards stand for
 * themselves, and the empty text means no session, unless one has it as its id.
 */
export function resolveSessionReference(db: Database, reference: string): SessionReference {
  if (hasId(db, reference)) return { outcome: "ok", session_id: reference };
  if (reference === "") return { outcome: "not-found" };
  const candidates = allRows<{ id: string }>(db, WITH_PREFIX, `${escapeLike(reference)}%`).map(({ id }) => id);
  const [first] = candidates;
  if (first !== undefined && candidates.length === 1) return { outcome: "ok", session_id: first };
  const titled = resolveSessionByTitle(db, reference);
  if (titled !== null) return { outcome: "ok", session_id: titled };
  return candidates.length > 0 ? { outcome: "ambiguous", candidates } : { outcome: "not-found" };
}

function hasId(db: Database, id: string): boolean {
  return firstRow(db, "SELECT 1 FROM sessions WHERE id = ?", id) !== undefined;
}

const WITH_PREFIX = "SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\' ORDER BY id";
