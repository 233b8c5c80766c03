import { foldTables, newRow, setColumns } from "./columns.js";
import { innerMap, removeInner, type FoldHandlers, type LedgerDraft } from "./state.js";

type Modes = NonNullable<LedgerDraft["telegram_dm_topic_mode"]>;
type Bindings = NonNullable<LedgerDraft["telegram_dm_topic_bindings"]>;

/** The Telegram tables, made if they are not there yet. */
export function telegramTables(state: LedgerDraft): { readonly modes: Modes; readonly bindings: Bindings } {
  const modes = (state.telegram_dm_topic_mode ??= new Map<string, never>());
  const bindings = (state.telegram_dm_topic_bindings ??= new Map<string, never>());
  return { modes, bindings };
}

/** Removes the topic bindings of sessions that are going away. */
export function removeBindingsOf(state: LedgerDraft, session_ids: readonly string[]): void {
  const chats = state.telegram_dm_topic_bindings;
  if (chats === null || chats.size === 0) return;
  const gone = new Set<unknown>(session_ids);
  for (const [chat_id, threads] of [...chats]) {
    for (const [thread_id, row] of [...threads]) {
      if (gone.has(row.session_id)) removeInner(chats, chat_id, thread_id);
    }
  }
}

/** What the events of Telegram topics mean. */
export const telegramHandlers = {
  TelegramTopicModeSet: (state, { chat_id, fields }) => {
    const { modes } = telegramTables(state);
    const row = modes.get(chat_id);
    if (row !== undefined) setColumns(foldTables.telegram_dm_topic_mode, row, fields);
    // Without these two there is nothing a row could begin with: the event is about a chat whose row is gone.
    else if (fields.user_id !== undefined && fields.activated_at !== undefined) {
      modes.set(chat_id, newRow(foldTables.telegram_dm_topic_mode, { ...fields, chat_id }));
    }
  },
  TelegramTopicBound: (state, binding) => {
    const { bindings } = telegramTables(state);
    innerMap(bindings, binding.chat_id).set(binding.thread_id, newRow(foldTables.telegram_dm_topic_bindings, binding));
  },
  TelegramTopicUnbound: (state, { chat_id, thread_ids }) => {
    const { bindings } = telegramTables(state);
    for (const thread_id of thread_ids) removeInner(bindings, chat_id, thread_id);
  },
} satisfies FoldHandlers;
