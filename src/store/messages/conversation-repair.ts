import { isPlainObject } from "../values/json-value.js";
import { strip } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import type { ConversationEntry } from "./conversation-entry.js";

/** Finish reasons of drafts: the assistant entry that follows is the same answer, checked. */
const DRAFT_FINISH_REASONS: readonly unknown[] = ["verification_required", "verify_hook_continue"];

/**
 * Makes the roles alternate as providers demand: adjacent assistant entries become one, tool results that answer no
 * open call of the last assistant entry go, and adjacent user texts become one. The entries given are left alone.
 */
export function repairAlternation(entries: readonly ConversationEntry[]): ConversationEntry[] {
  return joinAdjacent(withoutStrayResults(joinAdjacent(entries, joinedAssistants)), joinedUsers);
}

/** Replaces neighbours by what `join` makes of them, the result counting as the earlier one of the next pair. */
function joinAdjacent(
  entries: readonly ConversationEntry[],
  join: (earlier: ConversationEntry, later: ConversationEntry) => ConversationEntry | null,
): ConversationEntry[] {
  const result: ConversationEntry[] = [];
  for (const entry of entries) {
    const earlier = result.at(-1);
    const joined = earlier === undefined ? null : join(earlier, entry);
    if (joined === null) result.push(entry);
    else result[result.length - 1] = joined;
  }
  return result;
}

function joinedAssistants(earlier: ConversationEntry, later: ConversationEntry): ConversationEntry | null {
  if (earlier.role !== "assistant" || later.role !== "assistant") return null;
  if (isCodexInterim(earlier) || isCodexInterim(later)) return null;
  if (DRAFT_FINISH_REASONS.includes(earlier.finish_reason)) return later;

  const joined = { ...earlier, content: joinedContent(earlier.content, later.content) };
  const calls = [...callsOf(earlier), ...callsOf(later)];
  if (calls.length > 0) joined.tool_calls = calls;
  if (!earlier.reasoning_content && later.reasoning_content !== undefined) {
    joined.reasoning_content = later.reasoning_content;
  }
  return joined;
}

/** Codex sends an answer in steps that it wants back one by one. */
function isCodexInterim(entry: ConversationEntry): boolean {
  return (
    isTruthy(entry.codex_reasoning_items) || isTruthy(entry.codex_message_items) || entry.finish_reason === "incomplete"
  );
}

function joinedContent(earlier: unknown, later: unknown): unknown {
  if (typeof earlier === "string" && typeof later === "string") {
    return [strip(earlier), strip(later)].filter((part) => part !== "").join("\n");
  }
  return isTruthy(earlier) ? earlier : later;
}

/** Keeps a tool result only as the first answer to a call of the last assistant entry, before the next user entry. */
function withoutStrayResults(entries: readonly ConversationEntry[]): ConversationEntry[] {
  let open = new Set<unknown>();
  return entries.filter((entry) => {
    if (entry.role === "assistant") open = new Set(callsOf(entry).flatMap(idsOf));
    if (entry.role === "user") open.clear();
    return entry.role !== "tool" || (entry.tool_call_id !== undefined && open.delete(entry.tool_call_id));
  });
}

function callsOf(entry: ConversationEntry): unknown[] {
  if (Array.isArray(entry.tool_calls)) return entry.tool_calls;
  return isTruthy(entry.tool_calls) ? [entry.tool_calls] : [];
}

function idsOf(call: unknown): unknown[] {
  return isPlainObject(call) ? [call["id"], call["call_id"]] : [];
}

/** Only texts are joined: parts of structured content, such as images, must stay where they are. */
function joinedUsers(earlier: ConversationEntry, later: ConversationEntry): ConversationEntry | null {
  if (earlier.role !== "user" || later.role !== "user") return null;
  if (typeof earlier.content !== "string" || typeof later.content !== "string") return null;
  // What was sent to the API for the earlier text no longer is what the joined entry says.
  const { api_content: _, ...kept } = earlier;
  return { ...kept, content: [earlier.content, later.content].filter((text) => text !== "").join("\n\n") };
}
