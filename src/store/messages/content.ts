import { inspect } from "node:util";
import { PyFloat, toPythonJson, tryParsePythonJson } from "../values/python-json.js";
import { scrubSurrogates } from "../values/text.js";

/** How the stored text of structured content starts: a NUL, so that no ordinary text is taken for it. */
const STRUCTURED_CONTENT_MARKER = "\u0000json:";

/**
 * What is bound to the `content` column for a message's content. Text has its lone surrogates replaced; numbers,
 * booleans and bytes are bound as they are (the column's affinity is not applied here); anything else becomes the
 * marker followed by JSON text. Never throws: what JSON can't express is stored as its textual representation.
 */
export function encodeContent(content: unknown): string | number | bigint | boolean | PyFloat | Uint8Array | null {
  switch (typeof content) {
    case "undefined":
      return null;
    case "string":
      return scrubSurrogates(content);
    case "number":
    case "bigint":
    case "boolean":
      return content;
    default:
      if (content === null || content instanceof Uint8Array || content instanceof PyFloat) return content;
      return structuredText(content);
  }
}

/**
 * Content as readers get it: text that starts with the marker is parsed, and stays as stored where it does not
 * parse; everything else comes back unchanged. Plain text that happens to start with the marker is parsed too.
 */
export function decodeContent(stored: unknown): unknown {
  if (typeof stored !== "string" || !stored.startsWith(STRUCTURED_CONTENT_MARKER)) return stored;
  const parsed = tryParsePythonJson(stored.slice(STRUCTURED_CONTENT_MARKER.length));
  return parsed.ok ? parsed.value : stored;
}

function structuredText(content: unknown): string {
  try {
    return STRUCTURED_CONTENT_MARKER + toPythonJson(content);
  } catch {
    return scrubSurrogates(representationOf(content));
  }
}

/** The whole value on one line, without running code of its own (getters, toString, inspectors). */
function representationOf(value: unknown): string {
  return inspect(value, {
    depth: Infinity,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: Infinity,
    customInspect: false,
  });
}
