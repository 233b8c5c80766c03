import { toPythonJson, tryParsePythonJson } from "../values/python-json.js";
import { isTruthy } from "../values/truthiness.js";

/**
 * What is stored for a message's tool calls, and what they add to the session's `tool_call_count`. Text is parsed
 * first; text that does not parse counts as an empty list. A list adds its length, and anything else but null adds
 * one, even where it is empty and therefore stored as NULL.
 *
 * @throws a `type` refusal for calls that JSON can't express
 */
export function encodeToolCalls(toolCalls: unknown): { stored: string | null; calls: number } {
  const value = typeof toolCalls === "string" ? parsedOrEmpty(toolCalls, { keepFloats: true }) : (toolCalls ?? null);
  return { stored: isTruthy(value) ? toPythonJson(value) : null, calls: countOf(value) };
}

/** Stored tool calls as readers get them: NULL and `''` as they are, else the parsed text, or `[]` if unparsable. */
export function decodeToolCalls(stored: unknown): unknown {
  if (!isTruthy(stored)) return stored;
  return typeof stored === "string" ? parsedOrEmpty(stored, {}) : [];
}

function parsedOrEmpty(text: string, options: { keepFloats?: boolean }): unknown {
  const parsed = tryParsePythonJson(text, options);
  return parsed.ok ? parsed.value : [];
}

function countOf(value: unknown): number {
  if (value === null) return 0;
  return Array.isArray(value) ? value.length : 1;
}
