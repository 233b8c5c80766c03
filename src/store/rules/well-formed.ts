import { LoneSurrogateError } from "../values/columns.js";
import { hasLoneSurrogate } from "../values/text.js";

/** Throws when any text of a payload holds a lone surrogate: it would not come back from the file as it went in. */
export function refuseLoneSurrogates(name: string, value: unknown): void {
  if (typeof value === "string") {
    if (hasLoneSurrogate(value)) throw new LoneSurrogateError(name);
  } else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    for (const [key, part] of Object.entries(value)) {
      if (hasLoneSurrogate(key)) throw new LoneSurrogateError(name);
      refuseLoneSurrogates(Array.isArray(value) ? name : key, part);
    }
  }
}
