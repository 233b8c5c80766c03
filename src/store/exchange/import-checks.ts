import { isPlainObject, NotSerializableError } from "../values/json-value.js";
import { floatText, toInt } from "../values/numbers.js";
import { toPythonJson, tryParsePythonJson } from "../values/python-json.js";
import { strip } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import { ImportNotAListError, ImportTooLongError } from "./import-errors.js";
import { compactJsonSize } from "./json-size.js";

/** What one import may hold. Sizes are those of compact JSON in UTF-8. */
export const importLimits = {
  sessions: 500,
  messagesPerSession: 10_000,
  messages: 50_000,
  bytesPerSession: 5 * 1024 * 1024,
  bytes: 25 * 1024 * 1024,
} as const;

/** Why an entry of an import can't be taken. */
export interface ImportProblem {
  /** Place in the list, from 0. */
  readonly index: number;
  readonly error: string;
  /** Once it is known. */
  readonly session_id?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** An entry that passed all checks. */
export interface ImportableSession {
  readonly id: string;
  readonly fields: Fields;
  /** JSON text of an object, or null. */
  readonly model_config: string | null;
  readonly messages: readonly Fields[];
}

/** What has been seen of the list so far. */
interface Totals {
  readonly ids: Set<string>;
  bytes: number;
  messages: number;
}

/** Columns of a session that must be text or null. */
export const SESSION_TEXT_FIELDS = [
  "parent_session_id",
  "source",
  "user_id",
  "model",
  "system_prompt",
  "end_reason",
  "cwd",
  "git_branch",
  "git_repo_root",
  "billing_provider",
  "billing_base_url",
  "billing_mode",
  "cost_status",
  "cost_source",
  "pricing_version",
  "title",
] as const;

const MESSAGE_TEXT_FIELDS = [
  "tool_call_id",
  "tool_name",
  "effect_disposition",
  "finish_reason",
  "reasoning",
  "reasoning_content",
  "platform_message_id",
  "message_id",
] as const;

/**
 * Checks the entries of an import: the first problem of each that has one, and those that have none.
 *
 * @throws ImportNotAListError, ImportTooLongError; RangeRefusal for an infinite count
 */
export function checkImport(sessions: unknown): { problems: ImportProblem[]; accepted: ImportableSession[] } {
  if (!Array.isArray(sessions)) throw new ImportNotAListError();
  if (sessions.length > importLimits.sessions) throw new ImportTooLongError(importLimits.sessions);
  const totals: Totals = { ids: new Set(), bytes: 0, messages: 0 };
  const problems: ImportProblem[] = [];
  const accepted: ImportableSession[] = [];
  for (const [index, entry] of sessions.entries()) {
    const checked = checkSession(entry, totals);
    if ("error" in checked) {
      const { id, error } = checked;
      problems.push(id === "" ? { index, error } : { index, error, session_id: id });
    } else {
      totals.ids.add(checked.id);
      accepted.push(checked);
    }
  }
  return { problems, accepted };
}

function checkSession(entry: unknown, totals: Totals): ImportableSession | { id: string; error: string } {
  if (!isPlainObject(entry)) return { id: "", error: "session must be an object" };
  const id = idText(entry["id"]);
  if (id === "") return { id, error: "session id is required" };
  if (totals.ids.has(id)) return { id, error: "duplicate session id" };
  const messages: unknown = isTruthy(entry["messages"]) ? entry["messages"] : [];
  if (!Array.isArray(messages)) return { id, error: "messages must be a list" };
  if (messages.length > importLimits.messagesPerSession) {
    return { id, error: "messages exceeds the per-session import limit" };
  }
  if (!messages.every(isPlainObject)) return { id, error: "messages must contain only objects" };
  const config = modelConfig(entry["model_config"]);
  const error =
    sizeProblem(entry, totals) ??
    config.error ??
    textProblem(entry, SESSION_TEXT_FIELDS) ??
    messagesProblem(messages, totals);
  return error === null ? { id, fields: entry, model_config: config.text, messages } : { id, error };
}

/** An id as text: numbers and booleans are spelt as Python does, for exports made there. */
function idText(id: unknown): string {
  if (!isTruthy(id)) return "";
  switch (typeof id) {
    case "string":
      return strip(id);
    case "boolean":
      return "True";
    case "bigint":
      return String(id);
    case "number":
      return Number.isSafeInteger(id) ? String(id) : floatText(id);
    default:
      return "";
  }
}

function sizeProblem(entry: object, totals: Totals): string | null {
  let size: number;
  try {
    size = compactJsonSize(entry);
  } catch (error) {
    if (error instanceof NotSerializableError) return "session must be JSON serializable";
    throw error;
  }
  if (size > importLimits.bytesPerSession) return "session exceeds the import size limit";
  totals.bytes += size;
  return totals.bytes > importLimits.bytes ? "import exceeds the total size limit" : null;
}

function modelConfig(value: unknown): { text: string | null; error: string | null } {
  if (value === null || value === undefined) return { text: null, error: null };
  if (typeof value !== "string") {
    const error = "model_config must be a JSON object";
    return isPlainObject(value) ? { text: jsonText(value), error: null } : { text: null, error };
  }
  const parsed = tryParsePythonJson(value);
  if (!parsed.ok) return { text: null, error: "model_config must be valid JSON" };
  return { text: value, error: isPlainObject(parsed.value) ? null : "model_config must be a JSON object" };
}

/** JSON text, or null where there is none; that is told by the check of the whole session. */
function jsonText(value: object): string | null {
  try {
    return toPythonJson(value);
  } catch (error) {
    if (error instanceof NotSerializableError) return null;
    throw error;
  }
}

function textProblem(fields: Fields, names: readonly string[]): string | null {
  const wrong = names.find((name) => typeof (fields[name] ?? "") !== "string");
  return wrong === undefined ? null : `${wrong} must be a string`;
}

function messagesProblem(messages: readonly Fields[], totals: Totals): string | null {
  for (const [index, message] of messages.entries()) {
    const { role, token_count } = message;
    if (typeof role !== "string" || role === "") return `messages[${index}].role must be a non-empty string`;
    const problem = textProblem(message, MESSAGE_TEXT_FIELDS);
    if (problem !== null) return problem;
    if (token_count !== null && token_count !== undefined && toInt(token_count, "token_count") === null) {
      return "token_count must be an integer";
    }
  }
  totals.messages += messages.length;
  return totals.messages > importLimits.messages ? "messages exceeds the total import limit" : null;
}
