import { lstrip } from "../values/text.js";
import { isTruthy } from "../values/truthiness.js";
import { type ConversationEntry, toConversationEntry } from "./conversation-entry.js";
import { repairAlternation } from "./conversation-repair.js";
import type { StoredMessageRow } from "./message-row.js";

/** How {@link toConversation} treats its rows. All default to false. */
export interface ConversationOptions {
  /** The rows are those of a lineage: drop user texts that a continuation took over from its ancestor. */
  includeAncestors?: boolean;
  /** Make the roles alternate as providers demand; see {@link repairAlternation}. */
  repairAlternation?: boolean;
  /** Give each entry the id of its row as `_row_id`. */
  includeRowIds?: boolean;
}

const REVIEW_PROMPTS = [
  "Review the conversation above and update the skill library",
  "Review the conversation above and consider saving to memory",
];

/**
 * Turns stored rows, in id order, into the conversation that is given to a model: entries with only the keys that
 * matter, recalled memory taken out, and the prompts of background reviews removed with the answer to each.
 */
export function toConversation(
  rows: readonly StoredMessageRow[],
  options: ConversationOptions = {},
): ConversationEntry[] {
  const all = rows.map((row) => toConversationEntry(row, { rowId: options.includeRowIds ?? false }));
  const once = options.includeAncestors ? withoutRepeatedUserTexts(all) : all;
  const conversation = withoutReviews(once);
  return options.repairAlternation ? repairAlternation(conversation) : conversation;
}

/** Drops a user text that was already said since an assistant last answered with content or tool calls. */
function withoutRepeatedUserTexts(entries: readonly ConversationEntry[]): ConversationEntry[] {
  const unanswered = new Set<string>();
  return entries.filter((entry) => {
    if (entry.role === "assistant" && (isTruthy(entry.content) || isTruthy(entry.tool_calls))) unanswered.clear();
    if (entry.role !== "user" || typeof entry.content !== "string" || entry.content === "") return true;
    if (unanswered.has(entry.content)) return false;
    unanswered.add(entry.content);
    return true;
  });
}

function withoutReviews(entries: readonly ConversationEntry[]): ConversationEntry[] {
  return entries.filter((entry, index) => {
    const previous = entries[index - 1];
    const answersReview = entry.role === "assistant" && previous !== undefined && isReviewPrompt(previous);
    return !answersReview && !isReviewPrompt(entry);
  });
}

function isReviewPrompt(entry: ConversationEntry): boolean {
  if ((entry.role !== "user" && entry.role !== "system") || typeof entry.content !== "string") return false;
  const text = lstrip(entry.content);
  return REVIEW_PROMPTS.some((prompt) => text.startsWith(prompt));
}
