/**
 * Payload text in the log: JSON, with three wrappers for what JSON cannot say: `{"$int": "9223372036854775807"}` for
 * integers a double cannot hold, `{"$real": "inf" | "-inf"}`, and `{"base64": "…"}` for bytes. Payload values are
 * storage classes at typed places, so a wrapper is never mistaken for data.
 */

const WRAPPER = /\{"(?:\$int|\$real|base64)":"/;

/** Writes a payload as the text the log stores. Keys keep their order; keys with the value undefined are left out. */
export function encodePayload(payload: unknown): string {
  return JSON.stringify(payload, wrap);
}

/** Reads payload text back; the inverse of {@link encodePayload}. Throws SyntaxError on text that is no JSON. */
export function decodePayload(text: string): unknown {
  return WRAPPER.test(text) ? (JSON.parse(text, unwrap) as unknown) : (JSON.parse(text) as unknown);
}

function wrap(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === "bigint") return { $int: value.toString() };
  if (typeof value === "number" && !Number.isFinite(value)) return { $real: value > 0 ? "inf" : "-inf" };
  // Buffer has a toJSON of its own, which ran before this replacer sees the value.
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  if (isBufferJson(value)) return { base64: Buffer.from(value.data).toString("base64") };
  return value;
}

function isBufferJson(value: unknown): value is { type: "Buffer"; data: number[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "Buffer" &&
    "data" in value &&
    Array.isArray(value.data)
  );
}

function unwrap(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  if (keys.length !== 1) return value;
  if ("$int" in value && typeof value.$int === "string") return BigInt(value.$int);
  if ("$real" in value) return value.$real === "inf" ? Infinity : -Infinity;
  if ("base64" in value && typeof value.base64 === "string") return new Uint8Array(Buffer.from(value.base64, "base64"));
  return value;
}
