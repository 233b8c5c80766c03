import { isPlainObject } from "../values/json-value.js";
import { toPythonJson, tryParsePythonJson } from "../values/python-json.js";
import { isTruthy } from "../values/truthiness.js";

/**
 * The stored text of `display_metadata`, or null where there is none. An object becomes JSON text, an empty one
 * null; text that is a JSON object is written anew (`"{}"` stays `{}`); everything else is null.
 *
 * @throws a `type` refusal for an object that JSON can't express
 */
export function encodeDisplayMetadata(metadata: unknown): string | null {
  if (!isTruthy(metadata)) return null;
  // Floats are kept apart from integers, so that 1.0 is not written back as 1.
  const value = typeof metadata === "string" ? parsedOrNull(metadata, { keepFloats: true }) : metadata;
  return isPlainObject(value) ? toPythonJson(value) : null;
}

/**
 * The object in a stored `display_metadata`, or null where there is none: NULL, no JSON, or JSON of something else.
 * Old rows hold the text of an object as a JSON string; they are parsed twice. `keepFloats` is for callers that
 * write the object back.
 */
export function decodeDisplayMetadata(
  stored: unknown,
  options: { keepFloats?: boolean } = {},
): Record<string, unknown> | null {
  if (typeof stored !== "string") return null;
  const once = parsedOrNull(stored, options);
  const value = typeof once === "string" ? parsedOrNull(once, options) : once;
  return isPlainObject(value) ? value : null;
}

function parsedOrNull(text: string, options: { keepFloats?: boolean }): unknown {
  const parsed = tryParsePythonJson(text, options);
  return parsed.ok ? parsed.value : null;
}
