/**
 * JSON of a result: two spaces of indentation for a document, one line without it. Integers beyond 2^53 stand in full;
 * bytes become `{"base64": "…"}` and infinite numbers `{"$real": "inf"}`, as in the log; keys without a value are left
 * out. Control characters are escaped, also those that JSON allows but a terminal obeys.
 */
export function jsonText(value: unknown, indent = 2): string {
  return write(value, indent, "\n");
}

function write(value: unknown, indent: number, newLine: string): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return realText(value);
  if (value instanceof Uint8Array) return `{"base64":${quoted(Buffer.from(value).toString("base64"))}}`;
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const inner = indent > 0 ? newLine + " ".repeat(indent) : "";
  const colon = indent > 0 ? ": " : ":";
  const parts = Array.isArray(value)
    ? value.map((entry) => write(entry, indent, inner))
    : Object.entries(value)
        .filter(([, entry]) => entry !== undefined)
        .map(([key, entry]) => quoted(key) + colon + write(entry, indent, inner));
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  return open + inner + parts.join(`,${inner}`) + (indent > 0 ? newLine : "") + close;
}

function realText(value: number): string {
  return Number.isNaN(value) ? "null" : `{"$real":"${value > 0 ? "inf" : "-inf"}"}`;
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
