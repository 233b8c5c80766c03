/**
 * hermes-ledger: the event-sourced session store for Hermes agents. One SQLite file, one append log in it, and the
 * documented tables as projections of that log.
 *
 * @packageDocumentation
 */
export { SessionDB } from "./store/session-db.js";
export { defaultDatabasePath } from "./store/connection/location.js";
export { writeDefaults } from "./store/connection/retry.js";
export { sanitizeFtsQuery } from "./store/search/sanitize-fts-query.js";
export { workspaceKey } from "./store/queries/listing/search-sessions.js";
export { MAX_TITLE_LENGTH, sanitizeTitle } from "./store/values/title.js";
export { PyFloat } from "./store/values/python-json.js";
export { emptyState, fold, foldEvent, foldSession, foldWithPatches, tableRows } from "./projections/fold/index.js";
export { exportTranscripts } from "./interop/transcripts/export.js";
export { importTranscripts } from "./interop/transcripts/import.js";
export { eventTypes, payloadJsonSchema } from "./events/index.js";

export { EventVersionError, InvalidEventError, LedgerError, UnknownEventTypeError } from "./events/index.js";
export { CapturedRowError } from "./projections/captured-rows.js";
export { UnknownColumnError } from "./projections/row-changes.js";
export { UnexplainedRowsError } from "./store/audit/rebuild.js";
export { MessageErasedError } from "./store/commands/append-message.js";
export { CooldownSessionExistsError, CooldownSessionMissingError } from "./store/commands/compression-state.js";
export { GhostWithChildError } from "./store/commands/delete-empty-sessions.js";
export {
  CompressionLeaseLostError,
  CompressionParentEndedError,
  CompressionParentNotFoundError,
  EmptyHandoffError,
} from "./store/commands/publish-errors.js";
export { RewindTargetError } from "./store/commands/rewind-messages.js";
export { ActivityTimeError } from "./store/commands/session-activity.js";
export {
  FileAccessError,
  MaintenanceInTransactionError,
  NewerSchemaError,
  NotADatabaseError,
  NotAFilePathError,
  NotAdoptedError,
  PathNotFoundError,
  ReadOnlyFileError,
  ReadOnlyStoreError,
  StoreClosedError,
} from "./store/connection/open-errors.js";
export { EngineError } from "./store/connection/sqlite-errors.js";
export { ImportNotAListError, ImportTooLongError, ImportedStartError } from "./store/exchange/import-errors.js";
export { TracesRemainError } from "./store/log/clear-traces.js";
export {
  DamagedLogError,
  DuplicateConflictError,
  InvalidAppendError,
  InvalidReadError,
  VersionConflictError,
} from "./store/log/log-errors.js";
export { NotAMessageError } from "./store/messages/batch-rows.js";
export { MissingColumnError } from "./store/messages/missing-column-error.js";
export { FilterValueError, UnknownFilterError } from "./store/queries/prune-filters.js";
export { TopicTakenError } from "./store/rules/coordination-rules.js";
export {
  EventNotAllowedError,
  ImportedTitleTakenError,
  MessageIdTakenError,
  MessageNotFoundError,
  ParentNotFoundError,
  SessionBusyError,
  SessionClosedError,
  SessionExistsError,
  SessionNotFoundError,
  TitleInUseError,
} from "./store/rules/rule-errors.js";
export { SearchPageError } from "./store/search/search-options.js";
export { SearchUnavailableError } from "./store/search/search-unavailable-error.js";
export { AsynchronousTransactionError, TransactionSpoiledError } from "./store/transaction.js";
export { NotANumberError } from "./store/values/arguments.js";
export { IntegerRangeError, LoneSurrogateError, UnbindableValueError } from "./store/values/columns.js";
export { NotSerializableError } from "./store/values/json-value.js";
export { RangeRefusal, ValidationRefusal } from "./store/values/numbers.js";
export { PythonJsonSyntaxError } from "./store/values/python-json-reader.js";
export { TitleNotTextError, TitleTooLongError } from "./store/values/title.js";

export type {
  Envelope,
  ErasedEvent,
  ErrorKind,
  EventMetadata,
  EventPayloads,
  EventType,
  JsonSchema,
  LogEvent,
  MessageRecord,
  Origin,
  StoredEvent,
  UsageCounters,
} from "./events/index.js";
export type { FoldStep, FoldTableName, LedgerState, SessionState } from "./projections/fold/index.js";
export type { Difference, Progress, RunControl } from "./projections/index.js";
export type { SessionRow } from "./projections/sessions.js";
export type { TelegramTopicBindingRow } from "./projections/telegram-topics.js";
export type { RebuildOptions, RebuildReport } from "./store/audit/rebuild.js";
export type { VerifyOptions, VerifyReport } from "./store/audit/verify.js";
export type { AppendMessageInput } from "./store/commands/append-message.js";
export type { CooldownSnapshot } from "./store/commands/compression-state.js";
export type { CreateSessionInput, EnsureSessionOptions } from "./store/commands/create-session.js";
export type { DeleteOptions } from "./store/commands/delete-sessions.js";
export type { ImportOptions, ImportResult } from "./store/commands/import-sessions.js";
export type { ReactionOptions, UnseenReaction } from "./store/commands/message-reactions.js";
export type { PruneOptions } from "./store/commands/prune-sessions.js";
export type { PublishCompressionChildOptions } from "./store/commands/publish-compression-child.js";
export type { GatewayPeerOptions } from "./store/commands/record-gateway-peer.js";
export type { RewindResult } from "./store/commands/rewind-messages.js";
export type { ActivityOptions } from "./store/commands/session-activity.js";
export type { RuntimeLockOptions } from "./store/commands/update-session-runtime-lock.js";
export type { Durability } from "./store/connection/open-database.js";
export type { Delegations } from "./store/delegations/delegations.js";
export type { EventStream, EventStreamOptions } from "./store/live/event-stream.js";
export type { EventLog, LogAppendOptions, LogHead } from "./store/log/event-log.js";
export type { ReadOptions } from "./store/log/read.js";
export type { ChainProblem, ChainReport } from "./store/log/verify-chain.js";
export type { ConversationEntry } from "./store/messages/conversation-entry.js";
export type { MessageRow } from "./store/messages/message-row.js";
export type { Reaction } from "./store/messages/reactions.js";
export type { Cooldown, CooldownRow } from "./store/queries/compression-state.js";
export type { ConversationQuery } from "./store/queries/conversations.js";
export type { ExportAllOptions, ExportedListedSession } from "./store/queries/export-all.js";
export type { ExportedLineage, ExportedSession } from "./store/queries/export-session.js";
export type {
  GatewaySession,
  GatewaySessionsOptions,
  OriginOptions,
  PeerOptions,
} from "./store/queries/gateway-sessions.js";
export type { GetMessagesOptions } from "./store/queries/get-messages.js";
export type { HandoffState } from "./store/queries/handoffs.js";
export type { ListSessionsOptions } from "./store/queries/listing/list-sessions-rich.js";
export type { ActiveSessionRow, RichRow } from "./store/queries/listing/rich-row.js";
export type { SearchByIdOptions, SearchSessionsOptions } from "./store/queries/listing/search-sessions.js";
export type {
  SessionCountBySourceOptions,
  SessionCountOptions,
  SessionDirectory,
} from "./store/queries/listing/session-counts.js";
export type { AnchoredView, AnchoredViewOptions, MessagesAround } from "./store/queries/messages-around.js";
export type { PruneCandidate } from "./store/queries/prune-candidates.js";
export type { PruneFilters } from "./store/queries/prune-filters.js";
export type { SessionActivity } from "./store/queries/session-activity.js";
export type { SessionReference } from "./store/queries/session-references.js";
export type { SessionCost, UsageGroup, UsageStatisticsOptions, UsageSums } from "./store/queries/usage-statistics.js";
export type { EventInput, MessageInput } from "./store/rules/event-input.js";
export type { IndexBackfill } from "./store/search/index-backfill.js";
export type {
  FtsStorageProgress,
  FtsStorageResult,
  OptimizeFtsStorageOptions,
} from "./store/search/index-maintenance.js";
export type { SearchResultRow } from "./store/search/search-messages.js";
export type { SearchMessagesOptions } from "./store/search/search-options.js";
export type { SearchAnswer } from "./store/search/search.js";
export type { Notice, StoreOptions } from "./store/store.js";
export type { TopicCapabilities } from "./store/telegram/topic-mode.js";
export type { UnlinkedTelegramSession } from "./store/telegram/topic-queries.js";
export type { TelegramId } from "./store/telegram/topic-tables.js";
export type { AuxiliaryUsageOptions } from "./store/usage/record-usage.js";
export type { UsageOptions } from "./store/usage/usage-report.js";
export type { EventDraft, ExpectedVersion } from "./store/write-transaction.js";
export type { ExportOptions as TranscriptExportOptions } from "./interop/transcripts/export.js";
export type {
  ImportOptions as TranscriptImportOptions,
  ImportProblem as TranscriptImportProblem,
  ImportReport as TranscriptImportReport,
} from "./interop/transcripts/import.js";
export type { Transcript, TranscriptMessage } from "./interop/transcripts/transcript.js";
