import { isPlainObject, MAX_JSON_DEPTH, NotSerializableError, PyFloat } from "../values/json-value.js";
import { toPythonJson } from "../values/python-json.js";
import { hasLoneSurrogate } from "../values/text.js";

/**
 * How many bytes a value takes as compact JSON in UTF-8, with no character escaped that need not be. The text itself is
 * not made.
 *
 * @throws NotSerializableError for what JSON text in UTF-8 can't hold, lone surrogates included
 */
export function compactJsonSize(value: unknown): number {
  return sizeOf(value, new Set());
}

function sizeOf(value: unknown, parents: Set<object>): number {
  if (typeof value === "string") return textSize(value);
  if (Array.isArray(value)) return containerSize(value, parents, value, (item) => sizeOf(item, parents));
  if (isPlainObject(value) && !(value instanceof PyFloat)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return containerSize(value, parents, members, ([key, member]) => textSize(key) + 1 + sizeOf(member, parents));
  }
  // Numbers, words and null have one spelling, and everything else is refused there.
  return toPythonJson(value).length;
}

function containerSize<Item>(
  container: object,
  parents: Set<object>,
  items: readonly Item[],
  size: (item: Item) => number,
): number {
  if (parents.has(container)) throw new NotSerializableError("it contains itself");
  if (parents.size === MAX_JSON_DEPTH) throw new NotSerializableError(`it nests deeper than ${MAX_JSON_DEPTH} levels`);
  parents.add(container);
  const sum = items.reduce((total, item) => total + size(item), 0);
  parents.delete(container);
  return 2 + sum + Math.max(0, items.length - 1);
}

function textSize(text: string): number {
  if (hasLoneSurrogate(text)) throw new NotSerializableError("it contains a lone surrogate");
  return Buffer.byteLength(JSON.stringify(text));
}
