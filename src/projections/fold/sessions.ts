import { foldTables, newRow, setColumns, type Fields } from "./columns.js";
import { removeTranscript, raiseSequence } from "./transcript.js";
import type { FoldHandlers, LedgerDraft } from "./state.js";
import { removeBindingsOf } from "./telegram.js";

/** Sets columns of a session; an unknown id changes nothing. */
export function updateSession(state: LedgerDraft, id: string, fields: Fields): void {
  const row = state.sessions.get(id);
  if (row !== undefined) setColumns(foldTables.sessions, row, fields);
}

function insertSession(state: LedgerDraft, id: string, fields: Fields): void {
  state.sessions.set(id, newRow(foldTables.sessions, { ...fields, id }));
}

/** What the events of session rows mean, except for their messages and usage. */
export const sessionHandlers = {
  SessionCreated: (state, { session_id, created, fields }) => {
    if (created) insertSession(state, session_id, fields);
    else updateSession(state, session_id, fields);
  },
  SessionImported: (state, { session_id, fields }) => {
    insertSession(state, session_id, fields);
  },
  SessionEnded: (state, { session_id, ended_at, end_reason }) => {
    updateSession(state, session_id, { ended_at, end_reason });
  },
  SessionReopened: (state, { session_id }) => {
    updateSession(state, session_id, { ended_at: null, end_reason: null });
  },
  TitleSet: (state, { session_id, title, released_from }) => {
    if (released_from !== null) updateSession(state, released_from, { title: null });
    updateSession(state, session_id, { title });
  },
  SessionUpdated: (state, { session_id, fields }) => {
    updateSession(state, session_id, fields);
  },
  ActivityRecorded: (state, { session_id, at, description, provenance }) => {
    updateSession(state, session_id, {
      last_activity_at: at ?? undefined,
      last_activity_description: description,
      last_activity_provenance: provenance,
    });
  },
  SessionFlagsSet: (state, { session_id, flag, value }) => {
    updateSession(state, session_id, { [flag]: value ? 1 : 0 });
  },
  GatewayPeerRecorded: (state, { session_id, fields }) => {
    updateSession(state, session_id, fields);
  },
  HandoffChanged: (state, { session_id, state: handoff_state, fields }) => {
    updateSession(state, session_id, { ...fields, handoff_state });
  },
  CompressionStateSet: (state, { session_id, fields }) => {
    updateSession(state, session_id, fields);
  },
  SessionsDeleted: (state, { session_ids, detached_ids, through_id }) => {
    for (const id of detached_ids) updateSession(state, id, { parent_session_id: null });
    for (const id of session_ids) {
      removeTranscript(state, id);
      state.session_model_usage.delete(id);
      state.sessions.delete(id);
    }
    removeBindingsOf(state, session_ids);
    raiseSequence(state, through_id);
  },
} satisfies FoldHandlers;
