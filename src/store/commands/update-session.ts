import type { EventPayloads } from "../../events/index.js";
import { sessionRow } from "../queries/session-row.js";
import { firstRow } from "../rows.js";
import { textColumn } from "../values/columns.js";
import { strip } from "../values/text.js";
import type { WriteTransaction } from "../write-transaction.js";

/** Columns that an update may set, as the column stores them. */
export type UpdatedFields = EventPayloads["SessionUpdated"]["fields"];

/**
 * Sets columns of a session. An unknown session is passed over, and so is what the columns hold already. Emits
 * SessionUpdated with the columns that change.
 */
export function updateSession(tx: WriteTransaction, sessionId: string, fields: UpdatedFields, cause: string): void {
  const row: Readonly<Record<string, unknown>> | null = sessionRow(tx.db, sessionId);
  if (row === null) return;
  const changed = Object.entries(fields).filter(([column, value]) => value !== undefined && value !== row[column]);
  if (changed.length === 0) return;
  tx.append({ type: "SessionUpdated", payload: { session_id: sessionId, fields: Object.fromEntries(changed), cause } });
}

/** Sets the system prompt. Emits SessionUpdated. */
export function updateSystemPrompt(tx: WriteTransaction, sessionId: string, systemPrompt: string | null): void {
  const system_prompt = textColumn(systemPrompt, "system_prompt");
  updateSession(tx, sessionId, { system_prompt }, "system_prompt");
}

/** Sets the model's configuration as given, and the model where one is given. Emits SessionUpdated. */
export function updateSessionMeta(
  tx: WriteTransaction,
  sessionId: string,
  modelConfigJson: string | null,
  options: { model?: string | null | undefined } = {},
): void {
  const model_config = textColumn(modelConfigJson, "model_config");
  updateSession(tx, sessionId, { model_config, ...ifGiven("model", options.model) }, "meta");
}

/**
 * Switches the model by hand: the browser's lock on a model goes, and so does the system prompt, which was made for the
 * other model. The configuration is written anew without spaces wherever it is JSON. Emits SessionUpdated.
 */
export function updateSessionModel(tx: WriteTransaction, sessionId: string, model: string | null): void {
  const config = firstRow<{ model_config: string | null }>(tx.db, UNLOCKED_CONFIG, sessionId);
  if (config === undefined) return;
  updateSession(tx, sessionId, { ...config, model: textColumn(model, "model"), system_prompt: null }, "model");
}

/** Sets who is billed; the system prompt goes, as it names the route. Emits SessionUpdated. */
export function updateSessionBillingRoute(
  tx: WriteTransaction,
  sessionId: string,
  provider: string | null,
  baseUrl: string | null,
  options: { billing_mode?: string | null | undefined } = {},
): void {
  const fields: UpdatedFields = {
    billing_provider: textColumn(provider, "billing_provider"),
    billing_base_url: textColumn(baseUrl, "billing_base_url"),
    ...ifGiven("billing_mode", options.billing_mode),
    system_prompt: null,
  };
  updateSession(tx, sessionId, fields, "billing_route");
}

/** Sets the working directory, and the branch and repository where they are not blank. Emits SessionUpdated. */
export function updateSessionCwd(
  tx: WriteTransaction,
  sessionId: string,
  cwd: string,
  options: { git_branch?: string | null | undefined; git_repo_root?: string | null | undefined } = {},
): void {
  if (!sessionId || !cwd) return;
  const fields: UpdatedFields = {
    cwd: textColumn(cwd, "cwd"),
    ...ifGiven("git_branch", strip(options.git_branch ?? "") || null),
    ...ifGiven("git_repo_root", strip(options.git_repo_root ?? "") || null),
  };
  updateSession(tx, sessionId, fields, "cwd");
}

function ifGiven(column: keyof UpdatedFields, value: string | null | undefined): UpdatedFields {
  return value === null || value === undefined ? {} : { [column]: textColumn(value, column) };
}

const UNLOCKED_CONFIG = `
  SELECT CASE WHEN json_valid(model_config) THEN json_remove(model_config, '$.browser_model_lock')
              ELSE model_config END AS model_config
    FROM sessions WHERE id = ?`;
