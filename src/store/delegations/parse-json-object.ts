import { PyFloat, tryParsePythonJson, type JsonValue } from "../values/python-json.js";

/** The object a column's JSON text holds, or null for anything else. */
export function parseJsonObject(
  text: string | null,
  options?: { readonly keepFloats?: boolean },
): Record<string, JsonValue> | null {
  const parsed = tryParsePythonJson(text ?? "", options);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return null;
  return Array.isArray(parsed.value) || parsed.value instanceof PyFloat ? null : parsed.value;
}
