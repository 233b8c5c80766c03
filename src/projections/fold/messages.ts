import { foldTables, setColumns, type Fields } from "./columns.js";
import { updateSession } from "./sessions.js";
import type { FoldHandlers, LedgerDraft, MessageKey } from "./state.js";
import { editableMessage, insertMessage, raiseSequence, removeMessage, removeTranscript } from "./transcript.js";
import { grown } from "./values.js";

type Rewrite = "all" | "active" | "compact" | "clear" | "seed";

/** What the events of messages mean, with the counters of their session. */
export const messageHandlers = {
  MessageAppended: (state, { session_id, message, calls }) => {
    insertMessage(state, session_id, message);
    const session = state.sessions.get(session_id);
    if (session === undefined) return;
    session.message_count = grown("integer", session.message_count, 1);
    session.tool_call_count = grown("integer", session.tool_call_count, calls);
  },
  TranscriptRewritten: (state, { session_id, mode, through_id, messages, message_count, tool_call_count }) => {
    clearTheWay(state, session_id, mode, through_id);
    raiseSequence(state, through_id);
    for (const message of messages) insertMessage(state, session_id, message);
    updateSession(state, session_id, { message_count, tool_call_count });
  },
  MessagesRewound: (state, { session_id, from_id, through_id }) => {
    setActive(state, session_id, from_id, through_id, 0);
    const session = state.sessions.get(session_id);
    if (session !== undefined) session.rewind_count = grown("integer", session.rewind_count, 1);
  },
  MessagesRestored: (state, { session_id, from_id, through_id }) => {
    setActive(state, session_id, from_id, through_id, 1);
  },
  MessageErased: (state, { session_id, from_id, through_id, messages, message_count, tool_call_count }) => {
    for (const key of [...(state.messages.get(session_id)?.keys() ?? [])]) {
      if (Number(key) >= from_id && Number(key) <= through_id) removeMessage(state, session_id, key);
    }
    raiseSequence(state, through_id);
    for (const message of messages) insertMessage(state, session_id, message);
    updateSession(state, session_id, { message_count, tool_call_count });
  },
  MessageAnnotated: (state, { session_id, message_id, fields }) => {
    setColumnsOf(state, session_id, message_id, fields);
  },
} satisfies FoldHandlers;

function clearTheWay(state: LedgerDraft, session_id: string, mode: Rewrite, through_id: number): void {
  const transcript = state.messages.get(session_id);
  if (transcript === undefined || mode === "seed") return;
  const everything = mode === "all" || mode === "clear";
  if (everything && through_id >= state.message_sequence) {
    removeTranscript(state, session_id);
    return;
  }
  for (const key of [...transcript.keys()]) {
    if (Number(key) > through_id) continue;
    if (everything) {
      removeMessage(state, session_id, key);
      continue;
    }
    if (transcript.get(key)?.active !== 1) continue;
    if (mode === "active") removeMessage(state, session_id, key);
    else setColumnsOf(state, session_id, key, { active: 0, compacted: 1 });
  }
}

function setColumnsOf(state: LedgerDraft, session_id: string, key: MessageKey, fields: Fields): void {
  const row = editableMessage(state, session_id, key);
  if (row !== undefined) setColumns(foldTables.messages, row, fields);
}

function setActive(state: LedgerDraft, session_id: string, from_id: number, through_id: number, active: 0 | 1): void {
  const transcript = state.messages.get(session_id);
  if (transcript === undefined) return;
  for (const key of transcript.keys()) {
    if (Number(key) < from_id || Number(key) > through_id) continue;
    if (transcript.get(key)?.active === 1 - active) setColumnsOf(state, session_id, key, { active });
  }
}
