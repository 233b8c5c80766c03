import { MAX_JSON_DEPTH, type JsonValue } from "./json-value.js";
import { PythonJsonSyntaxError, readPythonJson } from "./python-json-reader.js";

export { NotSerializableError, orderedKeys, PyFloat, type JsonValue } from "./json-value.js";
export { PythonJsonSyntaxError } from "./python-json-reader.js";
export { toPythonJson } from "./python-json-writer.js";

/**
 * Where `JSON.parse` and the exact reader may differ: an integer that a double may not hold, an integer `-0`, a key
 * that JavaScript would move to the front. These may also match inside strings; then the exact reader is only slower.
 */
const RISK = /(?:^|[[:,\s-])[0-9]{16}|-0(?![0-9.eE])|"[0-9]{1,10}"\s*:|\\u003[0-9]/;

/** A number that is a float in its spelling, which `JSON.parse` forgets. */
const FLOAT = /(?:^|[[:,\s-])[0-9]+[.eE]/;

/** Index of the quote that ends the string opened at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const quote = text.indexOf('"', i);
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote;
    i = quote;
  }
}

/** Whether well-formed JSON text may nest deeper than the limit. */
function nestsTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfString(text, i);
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth--;
  }
  return false;
}

/**
 * Reads JSON text the way Python's `json.loads` does: `NaN`, `Infinity` and `-Infinity` are numbers, integers have any
 * size (bigint beyond 2^53), the last of duplicate keys wins, lone surrogate escapes are kept; raw control characters
 * in strings, a byte order mark and anything after the value are refused, and so are more than 1000 levels.
 *
 * Without options the result is plain data. With `keepFloats` it is made for writing back: whole-valued floats are
 * {@link PyFloat}, so that `1.0` and `1` stay what they were.
 *
 * **Order of keys.** JavaScript lists integer-like keys first. An object that has some therefore carries a record of
 * the original order under a symbol, which {@link toPythonJson} follows; keys added later come after the recorded
 * ones. With `keepFloats` the symbol is enumerable, so that the order survives changes in place, spread and
 * `Object.assign`; without, it is hidden, and the order survives in the object itself only. Two things remain
 * JavaScript's: a recorded key that is deleted and set again returns to its old place, and several keys added at once
 * come in JavaScript's order.
 *
 * @throws PythonJsonSyntaxError
 */
export function parsePythonJson(text: string, options: { keepFloats?: boolean } = {}): JsonValue {
  const keepFloats = options.keepFloats ?? false;
  if (RISK.test(text) || (keepFloats && FLOAT.test(text)) || nestsTooDeep(text)) {
    return readPythonJson(text, keepFloats);
  }
  let value: JsonValue;
  try {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- it returns nothing but JSON values
    value = JSON.parse(text) as JsonValue;
  } catch {
    // Either `NaN` and its like, or an error that the exact reader words with a position.
    return readPythonJson(text, keepFloats);
  }
  return value;
}

/** {@link parsePythonJson} for text that may well not be JSON: a result instead of an error. */
export function tryParsePythonJson(
  text: string,
  options: { keepFloats?: boolean } = {},
): { ok: true; value: JsonValue } | { ok: false } {
  try {
    return { ok: true, value: parsePythonJson(text, options) };
  } catch (error) {
    if (error instanceof PythonJsonSyntaxError) return { ok: false };
    throw error;
  }
}
