import { isPlainObject } from "../values/json-value.js";
import { decodeDisplayMetadata, encodeDisplayMetadata } from "./display-metadata.js";

/** A reaction to a message. Other programs may have written more keys, or fewer. */
export interface Reaction {
  readonly emoji?: unknown;
  /** `user`, `agent` or another name. */
  readonly author?: unknown;
  /** Epoch seconds. */
  readonly at?: unknown;
  /** True once {@link takeUnseenReactions} has returned it. */
  readonly seen?: unknown;
  /** What else another program stored with it. */
  readonly [key: string]: unknown;
}

/** Decoded metadata that is to be written back, and the reactions in it; both may be changed. */
export interface EditableReactions {
  readonly metadata: Record<string, unknown>;
  readonly reactions: Record<string, unknown>[];
}

/** The reactions in a stored `display_metadata`; `[]` where there are none. */
export function reactionsOf(displayMetadata: unknown): Reaction[] {
  return reactionsIn(decodeDisplayMetadata(displayMetadata) ?? {});
}

/** A stored `display_metadata` for editing; what can't be decoded counts as empty. */
export function editableReactions(displayMetadata: unknown): EditableReactions {
  const metadata = decodeDisplayMetadata(displayMetadata, { keepFloats: true }) ?? {};
  return { metadata, reactions: reactionsIn(metadata) };
}

/** The text to store for metadata with these reactions; null where nothing is left. */
export function withReactions(metadata: Record<string, unknown>, reactions: readonly Reaction[]): string | null {
  if (reactions.length > 0) metadata["reactions"] = reactions;
  else delete metadata["reactions"];
  return encodeDisplayMetadata(metadata);
}

function reactionsIn(metadata: Record<string, unknown>): Record<string, unknown>[] {
  const list = metadata["reactions"];
  return Array.isArray(list) ? list.filter(isPlainObject) : [];
}
