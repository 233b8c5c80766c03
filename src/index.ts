/**
 * hermes-ledger: the event-sourced session store for Hermes agents. One SQLite file, one append log in it, and the
 * documented tables as projections of that log.
 *
 * @packageDocumentation
 */
export { SessionDB } from "./store/session-db.js";
export type { Notice, StoreOptions } from "./store/store.js";
export type { Durability } from "./store/connection/open-database.js";
export { defaultDatabasePath } from "./store/connection/location.js";
export { writeDefaults } from "./store/connection/retry.js";

export type { EventLog, LogAppendOptions, LogHead } from "./store/log/event-log.js";
export type { ReadOptions } from "./store/log/read.js";
export type { EventDraft, ExpectedVersion } from "./store/write-transaction.js";
export type { EventInput, MessageInput } from "./store/rules/event-input.js";
export type { EventStream, EventStreamOptions } from "./store/live/event-stream.js";
export type { VerifyOptions, VerifyReport } from "./store/audit/verify.js";
export type { ChainProblem, ChainReport } from "./store/log/verify-chain.js";
export type { RebuildOptions, RebuildReport } from "./store/audit/rebuild.js";
export type { Difference, Progress, RunControl } from "./projections/index.js";

export { emptyState, fold, foldEvent, foldSession, foldWithPatches, tableRows } from "./projections/fold/index.js";
export type { LedgerState } from "./projections/fold/index.js";

export type { AppendMessageInput } from "./store/commands/append-message.js";
export type { MessageRow } from "./store/messages/message-row.js";
export type { ConversationEntry } from "./store/messages/conversation-entry.js";
export type { SearchResultRow } from "./store/search/search-messages.js";
export type { SearchMessagesOptions } from "./store/search/search-options.js";
export { sanitizeFtsQuery } from "./store/search/sanitize-fts-query.js";
export { sanitizeTitle } from "./store/values/title.js";

export { exportTranscripts } from "./interop/transcripts/export.js";
export { importTranscripts } from "./interop/transcripts/import.js";
export type { Transcript, TranscriptMessage } from "./interop/transcripts/transcript.js";

export { eventTypes, LedgerError, payloadJsonSchema } from "./events/index.js";
export type {
  ErasedEvent,
  ErrorKind,
  EventMetadata,
  EventPayloads,
  EventType,
  LogEvent,
  MessageRecord,
  Origin,
  StoredEvent,
  UsageCounters,
} from "./events/index.js";
