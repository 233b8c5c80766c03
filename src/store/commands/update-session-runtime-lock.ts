import { sessionRow } from "../queries/session-row.js";
import { textColumn } from "../values/columns.js";
import { isPlainObject } from "../values/json-value.js";
import { PyFloat, toPythonJson, tryParsePythonJson } from "../values/python-json.js";
import { isTruthy } from "../values/truthiness.js";
import type { WriteTransaction } from "../write-transaction.js";
import { updateSession } from "./update-session.js";

/** What a session is locked to by its user; what is left out is locked to nothing. */
export interface RuntimeLockOptions {
  /** Also becomes the session's model when it is given. */
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly model_options?: object | null | undefined;
  readonly route_source?: string | null | undefined;
  /** Default false. */
  readonly confirmed?: boolean | undefined;
}

/**
 * Writes the lock on model and provider into the session's configuration, where everything else stays as it is; the
 * system prompt goes. Emits SessionUpdated.
 */
export function updateSessionRuntimeLock(
  tx: WriteTransaction,
  sessionId: string,
  options: RuntimeLockOptions = {},
): void {
  const row = sessionRow(tx.db, sessionId);
  if (row === null) return;
  const { model, provider, model_options, route_source, confirmed } = options;
  const lock = {
    provider: provider || "",
    model: model || "",
    model_options: isTruthy(model_options) ? model_options : {},
    route_source: route_source || "",
    confirmed: isTruthy(confirmed),
    updated_at: new PyFloat(tx.now()),
  };
  const model_config = textColumn(
    toPythonJson({ ...storedConfig(row.model_config), browser_model_lock: lock }),
    "model_config",
  );
  const chosen = model === null || model === undefined ? {} : { model: textColumn(model, "model") };
  updateSession(tx, sessionId, { ...chosen, model_config, system_prompt: null }, "runtime_lock");
}

/** The configuration as it stands, with its floats and the order of its keys; empty where it is no object. */
function storedConfig(text: unknown): object {
  const parsed = typeof text === "string" ? tryParsePythonJson(text, { keepFloats: true }) : null;
  return parsed?.ok === true && isPlainObject(parsed.value) ? parsed.value : {};
}
