import { appendMessage, type AppendMessageInput } from "./commands/append-message.js";
import { eventLog, type EventLog } from "./log/event-log.js";
import { rebuild, type RebuildOptions, type RebuildReport } from "./audit/rebuild.js";
import { verify, type VerifyOptions, type VerifyReport } from "./audit/verify.js";
import { indexBackfill, type IndexBackfill } from "./search/index-backfill.js";
import {
  ftsOptimizeAvailable,
  ftsRebuildStep,
  optimizeFts,
  optimizeFtsStorage,
  type FtsStorageResult,
  type OptimizeFtsStorageOptions,
} from "./search/index-maintenance.js";
import { rebuildSearchIndexes } from "./search/index-recovery.js";
import { eventStream, type EventStream, type EventStreamOptions } from "./live/event-stream.js";
import { wasErased } from "./log/erase.js";
import { getSessionStart, sessionIds } from "./queries/session-ids.js";
import { listCronJobRuns } from "./queries/listing/list-cron-job-runs.js";
import { listSessionsRich, type ListSessionsOptions } from "./queries/listing/list-sessions-rich.js";
import { getSessionRichRow, type ActiveSessionRow, type RichRow } from "./queries/listing/rich-row.js";
import {
  searchSessions,
  searchSessionsById,
  type SearchByIdOptions,
  type SearchSessionsOptions,
} from "./queries/listing/search-sessions.js";
import {
  distinctSessionCwds,
  sessionCount,
  sessionCountBySource,
  type SessionCountBySourceOptions,
  type SessionCountOptions,
  type SessionDirectory,
} from "./queries/listing/session-counts.js";
import {
  mostExpensiveSessions,
  usageByModel,
  usageTotals,
  type SessionCost,
  type UsageGroup,
  type UsageStatisticsOptions,
  type UsageSums,
} from "./queries/usage-statistics.js";
import { search, type SearchAnswer } from "./search/search.js";
import { searchMessages, type SearchResultRow } from "./search/search-messages.js";
import type { SearchMessagesOptions } from "./search/search-options.js";
import {
  DEFAULT_LOCK_SECONDS,
  refreshCompressionLock,
  releaseCompressionLock,
  tryAcquireCompressionLock,
} from "./commands/compression-lock.js";
import {
  restoreCompressionFailureCooldownRow,
  setCompressionCounter,
  setCompressionFailureCooldown,
  type CooldownSnapshot,
} from "./commands/compression-state.js";
import {
  deleteGatewayRoutingEntries,
  replaceGatewayRoutingEntries,
  saveGatewayRoutingEntry,
} from "./commands/gateway-routes.js";
import { claimHandoff, completeHandoff, failHandoff, requestHandoff } from "./commands/handoff.js";
import { recordGatewaySessionPeer, type GatewayPeerOptions } from "./commands/record-gateway-peer.js";
import { setExpiryFinalized } from "./commands/set-expiry-finalized.js";
import { setMeta } from "./commands/set-meta.js";
import { getCompressionLockHolder } from "./queries/compression-lock-holder.js";
import {
  getCompressionCounter,
  getCooldown,
  getCooldownRow,
  type Cooldown,
  type CooldownRow,
} from "./queries/compression-state.js";
import { loadGatewayRoutingEntries } from "./queries/gateway-routes.js";
import {
  findLatestGatewaySessionForPeer,
  findSessionByOrigin,
  listGatewaySessions,
  type GatewaySession,
  type GatewaySessionsOptions,
  type OriginOptions,
  type PeerOptions,
} from "./queries/gateway-sessions.js";
import { getMeta } from "./queries/get-meta.js";
import { getHandoffState, listPendingHandoffs, type HandoffState } from "./queries/handoffs.js";
import type { TelegramTopicBindingRow } from "../projections/telegram-topics.js";
import { bindTelegramTopic, deleteTelegramTopicBinding } from "./telegram/topic-bindings.js";
import { applyTelegramTopicMigration } from "./telegram/topic-migration.js";
import { disableTelegramTopicMode, enableTelegramTopicMode, type TopicCapabilities } from "./telegram/topic-mode.js";
import {
  getTelegramTopicBinding,
  getTelegramTopicBindingBySession,
  isTelegramTopicModeEnabled,
  listTelegramTopicBindingsForChat,
  listUnlinkedTelegramSessionsForUser,
  type UnlinkedTelegramSession,
} from "./telegram/topic-queries.js";
import type { TelegramId } from "./telegram/topic-tables.js";
import { delegationsOf, type Delegations } from "./delegations/delegations.js";
import { withoutSqlErrors } from "./without-sql-errors.js";
import { Store, type StoreOptions } from "./store.js";
import { setLatestMatchingMessageDisplayKind, setLatestUserApiContent } from "./commands/annotate-message.js";
import {
  setMessageReaction,
  takeUnseenReactions,
  type ReactionOptions,
  type UnseenReaction,
} from "./commands/message-reactions.js";
import { publishCompressionChild, type PublishCompressionChildOptions } from "./commands/publish-compression-child.js";
import { archiveAndCompact, clearMessages, replaceMessages } from "./commands/rewrite-transcript.js";
import { restoreRewound, rewindToMessage, type RewindResult } from "./commands/rewind-messages.js";
import type { ConversationEntry } from "./messages/conversation-entry.js";
import type { MessageRow } from "./messages/message-row.js";
import type { Reaction } from "./messages/reactions.js";
import {
  getAncestorDisplayPrefix,
  getMessagesAsConversation,
  getResumeConversations,
  type ConversationQuery,
} from "./queries/conversations.js";
import { getMessageReactions } from "./queries/get-message-reactions.js";
import { getMessages, type GetMessagesOptions } from "./queries/get-messages.js";
import * as lookups from "./queries/message-lookups.js";
import * as texts from "./queries/message-texts.js";
import {
  getAnchoredView,
  getMessagesAround,
  type AnchoredView,
  type AnchoredViewOptions,
  type MessagesAround,
} from "./queries/messages-around.js";
import { importSessions, type ImportOptions, type ImportResult } from "./commands/import-sessions.js";
import { exportAll, exportEach, type ExportAllOptions, type ExportedListedSession } from "./queries/export-all.js";
import {
  exportSession,
  exportSessionLineage,
  type ExportedLineage,
  type ExportedSession,
} from "./queries/export-session.js";
import { backfillRepoRoots } from "./commands/backfill-repo-roots.js";
import { createSession, type CreateSessionInput, type EnsureSessionOptions } from "./commands/create-session.js";
import * as ends from "./commands/end-session.js";
import { retagKanbanWorkerSessions } from "./commands/retag-kanban-sessions.js";
import { clearSessionActivityLabels, touchSessionActivity, type ActivityOptions } from "./commands/session-activity.js";
import { setAutoTitle, setAutoTitleIfEmpty, setSessionTitle } from "./commands/set-title.js";
import * as updates from "./commands/update-session.js";
import { updateSessionRuntimeLock, type RuntimeLockOptions } from "./commands/update-session-runtime-lock.js";
import { getSessionActivity, type SessionActivity } from "./queries/session-activity.js";
import { resolveSessionId, resolveSessionReference, type SessionReference } from "./queries/session-references.js";
import { sessionRow } from "./queries/session-row.js";
import * as titles from "./queries/session-titles.js";
import type { SessionRow } from "../projections/sessions.js";
import { archiveSessions, archiveStaleSessions } from "./commands/archive-sessions.js";
import * as empties from "./commands/delete-empty-sessions.js";
import { deleteSession, deleteSessions, type DeleteOptions } from "./commands/delete-sessions.js";
import { pruneSessions, type PruneOptions } from "./commands/prune-sessions.js";
import { setSessionFlag } from "./commands/set-session-flag.js";
import * as auto from "./maintenance/auto-maintenance.js";
import { logicalSizeBytes, vacuum } from "./maintenance/vacuum.js";
import { findLiveCompressionChild, getCompressionTip } from "./queries/compression-tip.js";
import { getCompressionLineage } from "./queries/compression-lineage.js";
import { lineageRootToTip } from "./queries/conversation-lineage.js";
import { getSessionDeleteTargets } from "./queries/delegate-set.js";
import { countEmptySessions } from "./queries/empty-sessions.js";
import { countOpenPruneMatches, listPruneCandidates, type PruneCandidate } from "./queries/prune-candidates.js";
import type { PruneFilters } from "./queries/prune-filters.js";
import { resolveResumeSessionId } from "./queries/resume-session.js";
import { recordAuxiliaryUsage, recordUsage, type AuxiliaryUsageOptions } from "./usage/record-usage.js";
import { UsageQueue } from "./usage/usage-queue.js";
import { usageReport, type UsageOptions } from "./usage/usage-report.js";
import { eraseMessage } from "./commands/erase-message.js";

/**
 * The session store: the documented operations under their documented names (camelCase), and the log they append to.
 * Required parameters are positional, optional ones stand in one trailing object under their documented names.
 * Times are epoch seconds, costs USD. What a method refuses it throws as a {@link LedgerError}, and nothing is changed.
 */
export class SessionDB implements Disposable {
  readonly #store: Store;
  readonly #usage: UsageQueue;
  /** The append log: typed events in and out. */
  readonly log: EventLog;
  /** Background delegations: what was handed out, and whether its result was delivered. */
  readonly delegations: Delegations;

  private constructor(store: Store) {
    this.#store = store;
    this.#usage = new UsageQueue(store);
    this.log = eventLog(store);
    this.delegations = delegationsOf(store);
  }

  /**
   * Opens the store, by default at the documented location (`$HERMES_HOME/state.db`, else `~/.hermes/state.db`), and
   * makes the file when it is missing.
   *
   * @throws NotAFilePathError, PathNotFoundError, NotADatabaseError, ReadOnlyFileError, NewerSchemaError, NotAdoptedError, EngineError;
   *   the file is left as it was
   */
  static open(options: StoreOptions = {}): SessionDB {
    return new SessionDB(new Store(options));
  }

  /** The database file. */
  get path(): string {
    return this.#store.path;
  }

  /** Whether the store was opened with `readOnly`. */
  get readOnly(): boolean {
    return this.#store.readOnly;
  }

  /** Closes the store; closing twice is fine. */
  close(): void {
    this.#store.close();
  }

  /** `using db = SessionDB.open()` closes at the end of the block. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Runs several operations as one: one commit, one batch in the log. When `body` throws, nothing of it remains. A
   * refusal inside that `body` catches has changed nothing, and the rest goes on; an operation that fails after it had
   * written (a full disk) spoils the whole transaction.
   */
  transaction<T>(body: () => T): T {
    return this.#store.write(body, "transcript");
  }

  /**
   * Makes a session and returns its id. When it is there already, what is still NULL in it is filled and the rest stays.
   * A child that names its parent takes over what it lacks: the directory, and from a compressed parent the messaging
   * peer.
   *
   * @throws ParentNotFoundError, VersionConflictError, DuplicateConflictError
   */
  createSession(session: CreateSessionInput): string {
    return this.#store.write((tx) => createSession(tx, session), "transcript");
  }

  /** {@link createSession} for a session that should be there: the source is `unknown` unless it is told. */
  ensureSession(sessionId: string, options: EnsureSessionOptions = {}): string {
    return this.createSession({ ...options, source: options.source ?? "unknown", session_id: sessionId });
  }

  /** Ends a live session; one that has ended keeps its first end. */
  endSession(sessionId: string, endReason: string | null): void {
    this.#store.write((tx) => ends.endSession(tx, sessionId, endReason));
  }

  /** Makes an ended session live again. */
  reopenSession(sessionId: string): void {
    this.#store.write((tx) => ends.reopenSession(tx, sessionId));
  }

  /**
   * Ends a session by a deliberate reset: a live one, or one that ended only because its program went away. Returns
   * whether there was one. A failure is no error but false, and a notice tells it.
   */
  promoteToSessionReset(sessionId: string, options: { reason?: string | null } = {}): boolean {
    const { reason = "session_reset" } = options;
    try {
      return this.#store.write((tx) => ends.promoteToSessionReset(tx, sessionId, reason));
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      this.#store.notice({ code: "promotion_failed", message: `Session '${sessionId}' was not reset: ${cause}` });
      return false;
    }
  }

  /** Ends the continuations that nobody took up within a week of a compression; returns how many there were. */
  finalizeOrphanedCompressionSessions(): number {
    return this.#store.write((tx) => ends.finalizeOrphanedCompressionSessions(tx));
  }

  /** A session as it stands in the table, with all its columns, or null. */
  getSession(sessionId: string): SessionRow | null {
    this.#usage.flush();
    return this.#store.read((db) => sessionRow(db, sessionId));
  }

  /** The session with this id, or the only one whose id begins so; null when there is none or several do. */
  resolveSessionId(sessionIdOrPrefix: string): string | null {
    return this.#store.read((db) => resolveSessionId(db, sessionIdOrPrefix));
  }

  /** Which session a person means: an id, the beginning of exactly one, or a title. See {@link SessionReference}. */
  resolveSessionReference(reference: string): SessionReference {
    return this.#store.read((db) => resolveSessionReference(db, reference));
  }

  /** Sets the system prompt of a session. */
  updateSystemPrompt(sessionId: string, systemPrompt: string | null): void {
    this.#store.write((tx) => updates.updateSystemPrompt(tx, sessionId, systemPrompt));
  }

  /** Sets the model's configuration, as JSON text that is not looked at, and the model where it is given. */
  updateSessionMeta(sessionId: string, modelConfigJson: string | null, options: { model?: string | null } = {}): void {
    this.#usage.flush();
    this.#store.write((tx) => updates.updateSessionMeta(tx, sessionId, modelConfigJson, options));
  }

  /** Switches the model by hand: the lock on another model and the system prompt go. */
  updateSessionModel(sessionId: string, model: string | null): void {
    this.#usage.flush();
    this.#store.write((tx) => updates.updateSessionModel(tx, sessionId, model));
  }

  /** Locks a session to a model and a provider, in its configuration; the system prompt goes. */
  updateSessionRuntimeLock(sessionId: string, options: RuntimeLockOptions = {}): void {
    this.#store.write((tx) => updateSessionRuntimeLock(tx, sessionId, options));
  }

  /** Sets who is billed for a session; the system prompt goes. */
  updateSessionBillingRoute(
    sessionId: string,
    provider: string | null,
    baseUrl: string | null,
    options: { billing_mode?: string | null } = {},
  ): void {
    this.#usage.flush();
    this.#store.write((tx) => updates.updateSessionBillingRoute(tx, sessionId, provider, baseUrl, options));
  }

  /** Sets the working directory of a session, and its branch and repository where they are not blank. */
  updateSessionCwd(
    sessionId: string,
    cwd: string,
    options: { git_branch?: string | null; git_repo_root?: string | null } = {},
  ): void {
    this.#store.write((tx) => updates.updateSessionCwd(tx, sessionId, cwd, options));
  }

  /** Gives the sessions of each directory the root of its repository, where they have none. */
  backfillRepoRoots(cwdToRoot: Readonly<Record<string, string | null>>): void {
    this.#store.write((tx) => backfillRepoRoots(tx, cwdToRoot));
  }

  /** Gives the `cli` sessions under the workspaces of a kanban board the source `kanban`, once; returns how many. */
  retagKanbanWorkerSessions(workspacesRoot: string): number {
    return this.#store.write((tx) => retagKanbanWorkerSessions(tx, workspacesRoot));
  }

  /**
   * Records that a session is still at work; the time only moves on.
   *
   * @throws ActivityTimeError
   */
  touchSessionActivity(sessionId: string, options: ActivityOptions = {}): void {
    this.#store.write((tx) => touchSessionActivity(tx, sessionId, options), "activity");
  }

  /** Forgets what a session was doing and keeps when. */
  clearSessionActivityLabels(sessionId: string): void {
    this.#store.write((tx) => clearSessionActivityLabels(tx, sessionId), "activity");
  }

  /** When a session last showed that it is at work, and with what; null for an unknown session. */
  getSessionActivity(sessionId: string): SessionActivity | null {
    return this.#store.read((db) => getSessionActivity(db, sessionId, this.#store.clock()));
  }

  /**
   * Sets the title of a session, cleaned; an empty one clears it. A title held by a session that compression ended on
   * the way to this one moves here. Returns whether the session exists.
   *
   * @throws TitleTooLongError; TitleInUseError, which names the other session
   */
  setSessionTitle(sessionId: string, title: string | null): boolean {
    return this.#store.write((tx) => setSessionTitle(tx, sessionId, title));
  }

  /**
   * Gives an untitled session a title; returns whether it was there and untitled.
   *
   * @throws TitleTooLongError, TitleInUseError
   */
  setAutoTitleIfEmpty(sessionId: string, title: string | null): boolean {
    return this.#store.write((tx) => setAutoTitleIfEmpty(tx, sessionId, title));
  }

  /**
   * Gives an untitled session a title that no person chose, with the next free number when another session has it.
   * Returns the title it got, or null when there was none to give.
   *
   * @throws TitleTooLongError
   */
  setAutoTitle(sessionId: string, title: string | null): string | null {
    return this.#store.write((tx) => setAutoTitle(tx, sessionId, title));
  }

  /** The title of a session, or null. */
  getSessionTitle(sessionId: string): string | null {
    return this.#store.read((db) => titles.getSessionTitle(db, sessionId));
  }

  /** The session with exactly this title, or null. */
  getSessionByTitle(title: string): SessionRow | null {
    return this.#store.read((db) => titles.getSessionByTitle(db, title));
  }

  /** The id of the newest session with the title and a number behind it, else of the one with the title, else null. */
  resolveSessionByTitle(title: string): string | null {
    return this.#store.read((db) => titles.resolveSessionByTitle(db, title));
  }

  /** The next title for a conversation that goes on: `work`, then `work #2`, `work #3` … */
  getNextTitleInLineage(baseTitle: string): string {
    return this.#store.read((db) => titles.getNextTitleInLineage(db, baseTitle));
  }

  /** The first session of a conversation: up the parent links of any kind. An unknown id is its own root. */
  getConversationRoot(sessionId: string): string {
    return this.#store.read((db) => lineageRootToTip(db, sessionId)[0] ?? sessionId);
  }

  /** Where a conversation goes on after compressions; the session itself when it was not compressed. */
  getCompressionTip(sessionId: string): string {
    return this.#store.read((db) => getCompressionTip(db, sessionId));
  }

  /** The one live continuation of a compressed session; null when there is none or more than one. */
  findLiveCompressionChild(parentSessionId: string): SessionRow | null {
    return this.#store.read((db) => findLiveCompressionChild(db, parentSessionId));
  }

  /** The session with which work on this one goes on: its newest continuation that has a message. */
  resolveResumeSessionId(sessionId: string): string {
    return this.#store.read((db) => resolveResumeSessionId(db, sessionId));
  }

  /** The sessions into which compression cut a conversation, the oldest first; `[]` for an unknown session. */
  getCompressionLineage(sessionId: string): string[] {
    return this.#store.read((db) => getCompressionLineage(db, sessionId));
  }

  /** Archives a session or takes it back, with its compression lineage; returns whether it exists. */
  setSessionArchived(sessionId: string, archived: boolean): boolean {
    return this.#store.write((tx) => setSessionFlag(tx, sessionId, "archived", archived));
  }

  /** Pins a session or takes it back, with its compression lineage; returns whether it exists. */
  setSessionPinned(sessionId: string, pinned: boolean): boolean {
    return this.#store.write((tx) => setSessionFlag(tx, sessionId, "pinned", pinned));
  }

  /**
   * Archives the ended sessions that the filters let pass, each with its lineage, and returns how many they let pass.
   *
   * @throws UnknownFilterError, FilterValueError
   */
  archiveSessions(filters: PruneFilters = {}): number {
    return this.#store.write((tx) => archiveSessions(tx, filters));
  }

  /** Archives sessions, live ones too, that were idle for longer than so many days; returns how many were found. */
  archiveStaleSessions(idleDays: number | null, options: { exclude_pinned?: boolean } = {}): number {
    return this.#store.write((tx) => archiveStaleSessions(tx, idleDays, options));
  }

  /** What goes when a session is deleted: itself and the sessions that work for it; `[]` for an unknown session. */
  getSessionDeleteTargets(sessionId: string): string[] {
    return this.#store.read((db) => getSessionDeleteTargets(db, sessionId));
  }

  /**
   * Deletes a session with its messages and the sessions that work for it, and erases their events from the log. Returns
   * false, and deletes nothing, when it is unknown or when these are not exactly the `expected_delete_ids`.
   */
  deleteSession(
    sessionId: string,
    options: DeleteOptions & { expected_delete_ids?: readonly string[] | null } = {},
  ): boolean {
    return this.#store.write((tx) => deleteSession(tx, sessionId, options));
  }

  /** Deletes sessions and those that work for them; returns how many of the listed ones there were. */
  deleteSessions(sessionIds: readonly unknown[], options: DeleteOptions = {}): number {
    return this.#store.write((tx) => deleteSessions(tx, sessionIds, options));
  }

  /** Deletes a session without title, message and child; returns whether it was one. */
  deleteSessionIfEmpty(sessionId: string, options: DeleteOptions = {}): boolean {
    return this.#store.write((tx) => empties.deleteSessionIfEmpty(tx, sessionId, options));
  }

  /** How many ended, unarchived sessions have no message. */
  countEmptySessions(): number {
    return this.#store.read((db) => countEmptySessions(db));
  }

  /** Deletes the ended, unarchived sessions without messages; returns how many there were. */
  deleteEmptySessions(options: DeleteOptions = {}): number {
    return this.#store.write((tx) => empties.deleteEmptySessions(tx, options));
  }

  /**
   * Deletes the ended, untitled sessions of the terminal interface that have no message and are over a day old; returns
   * how many there were.
   *
   * @throws GhostWithChildError, and nothing is deleted
   */
  pruneEmptyGhostSessions(options: DeleteOptions = {}): number {
    return this.#store.write((tx) => empties.pruneEmptyGhostSessions(tx, options));
  }

  /**
   * Deletes the ended sessions that the filters let pass, by default those inactive for 90 days; returns how many. See
   * {@link PruneOptions}; `listPruneCandidates` tells before what would go.
   *
   * @throws UnknownFilterError, FilterValueError
   */
  pruneSessions(options: PruneOptions = {}): number {
    return this.#store.write((tx) => pruneSessions(tx, options));
  }

  /**
   * The ended sessions that the filters let pass, the longest inactive first. Without `older_than_days` their age does
   * not count.
   *
   * @throws UnknownFilterError, FilterValueError
   */
  listPruneCandidates(filters: PruneFilters = {}): PruneCandidate[] {
    return this.#store.read((db) => listPruneCandidates(db, filters, this.#store.clock()));
  }

  /** How many sessions the same filters let pass that a prune keeps, because they have not ended. */
  countOpenPruneMatches(filters: PruneFilters = {}): number {
    return this.#store.read((db) => countOpenPruneMatches(db, filters, this.#store.clock()));
  }

  /**
   * Gives free space back: merges the full-text indexes, empties the write-ahead log, writes the file anew. Returns how
   * many indexes were merged.
   *
   * @throws MaintenanceInTransactionError, ReadOnlyStoreError, EngineError
   */
  vacuum(): number {
    return vacuum(this.#store);
  }

  /** Size of the database without its write-ahead log, in bytes. */
  logicalSizeBytes(): number | null {
    return this.#store.read((db) => logicalSizeBytes(db));
  }

  /** Prunes old ended sessions and gives their space back, unless it ran not long ago. Never throws: see the result. */
  maybeAutoPruneAndVacuum(options: auto.AutoPruneOptions = {}): auto.AutoPruneResult {
    return auto.maybeAutoPruneAndVacuum(this.#store, options);
  }

  /** Archives idle sessions, unless it ran not long ago. Never throws: see the result. */
  maybeAutoArchive(options: auto.AutoArchiveOptions = {}): auto.AutoArchiveResult {
    return auto.maybeAutoArchive(this.#store, options);
  }

  /** Appends a message and returns its row id. See {@link AppendMessageInput}. */
  appendMessage(message: AppendMessageInput): number {
    return this.#store.write((tx) => appendMessage(tx, message), "transcript");
  }

  /**
   * Makes the continuation of a compressed session with its first messages, and ends the session with `compression`,
   * all in one.
   *
   * @throws CompressionLeaseLostError, CompressionParentNotFoundError, CompressionParentEndedError, EmptyHandoffError,
   *   SessionExistsError
   */
  publishCompressionChild(
    parentSessionId: string,
    childSessionId: string,
    source: string,
    messages: readonly object[],
    options: PublishCompressionChildOptions = {},
  ): void {
    this.#store.write(
      (tx) => publishCompressionChild(tx, parentSessionId, childSessionId, source, messages, options),
      "transcript",
    );
  }

  /**
   * Replaces all messages of a session, or with `active_only` those of the live context; both counters follow.
   *
   * @throws SessionClosedError when compression ended the session; SessionNotFoundError
   */
  replaceMessages(sessionId: string, messages: readonly object[], options: { active_only?: boolean } = {}): void {
    this.#store.write((tx) => replaceMessages(tx, sessionId, messages, options), "transcript");
  }

  /**
   * Takes the live messages of a session out of its context, where search still finds them, and writes these instead.
   * Returns how many were written.
   *
   * @throws SessionNotFoundError
   */
  archiveAndCompact(sessionId: string, compactedMessages: readonly object[]): number {
    return this.#store.write((tx) => archiveAndCompact(tx, sessionId, compactedMessages), "transcript");
  }

  /** Deletes all messages of a session and erases their text from the log. */
  clearMessages(sessionId: string): void {
    this.#store.write((tx) => clearMessages(tx, sessionId), "transcript");
  }

  /**
   * Erases the content of one message: from the tables, from the search indexes, and from the log. Its place in the
   * session stays, with role and time, as `[erased]` and of the display kind `erased`. Returns whether there was content
   * to erase.
   *
   * @throws SessionNotFoundError, MessageNotFoundError
   */
  eraseMessage(sessionId: string, messageId: number): boolean {
    return this.#store.write((tx) => eraseMessage(tx, sessionId, messageId), "transcript");
  }

  /** Whether a session has messages outside its live context: compacted or rewound ones. */
  hasArchivedMessages(sessionId: string): boolean {
    return this.#store.read((db) => lookups.hasArchivedMessages(db, sessionId));
  }

  /**
   * Takes a user message and everything after it out of the live context.
   *
   * @throws MessageNotFoundError, RewindTargetError
   */
  rewindToMessage(sessionId: string, targetMessageId: number): RewindResult {
    return this.#store.write((tx) => rewindToMessage(tx, sessionId, targetMessageId), "transcript");
  }

  /** Makes the inactive messages from an id on active again, compacted ones too; returns how many there were. */
  restoreRewound(sessionId: string, sinceMessageId: number): number {
    return this.#store.write((tx) => restoreRewound(tx, sessionId, sinceMessageId), "transcript");
  }

  /** Says how the newest active message with this role and content is shown; returns whether there was one. */
  setLatestMatchingMessageDisplayKind(
    sessionId: string,
    role: string,
    content: unknown,
    displayKind: string,
    options: { display_metadata?: unknown } = {},
  ): boolean {
    return this.#store.write((tx) =>
      setLatestMatchingMessageDisplayKind(tx, sessionId, role, content, displayKind, options),
    );
  }

  /** Keeps what was sent to the API for the newest active user message, if it has this content; returns 1, or 0. */
  setLatestUserApiContent(sessionId: string, content: unknown, apiContent: string | null): 0 | 1 {
    return this.#store.write((tx) => setLatestUserApiContent(tx, sessionId, content, apiContent));
  }

  /**
   * Sets an author's reaction to a message; the same emoji again takes it back, as does null. Returns all reactions to
   * the message, or null when the session has no such message.
   */
  setMessageReaction(
    sessionId: string,
    messageRowId: number,
    emoji: string | null,
    options: ReactionOptions = {},
  ): Reaction[] | null {
    return this.#store.write((tx) => setMessageReaction(tx, sessionId, messageRowId, emoji, options));
  }

  /** The reactions to a message; `[]` where there are none. */
  getMessageReactions(sessionId: string, messageRowId: number): Reaction[] {
    return this.#store.read((db) => getMessageReactions(db, sessionId, messageRowId));
  }

  /** The reactions of an author that were not taken before, oldest message first; marks them as seen. */
  takeUnseenReactions(sessionId: string, options: ReactionOptions = {}): UnseenReaction[] {
    return this.#store.write((tx) => takeUnseenReactions(tx, sessionId, options));
  }

  /** The messages of a session in the order they were written; rewound and compacted ones on request. */
  getMessages(sessionId: string, options: GetMessagesOptions = {}): MessageRow[] {
    return this.#store.read((db) => getMessages(db, sessionId, options));
  }

  /** The messages around one message, inactive ones included; nothing when the session has no such message. */
  getMessagesAround(sessionId: string, aroundMessageId: number, options: { window?: number } = {}): MessagesAround {
    return this.#store.read((db) => getMessagesAround(db, sessionId, aroundMessageId, options));
  }

  /** The messages around one message, with those with which the session begins and ends. */
  getAnchoredView(sessionId: string, aroundMessageId: number, options: AnchoredViewOptions = {}): AnchoredView {
    return this.#store.read((db) => getAnchoredView(db, sessionId, aroundMessageId, options));
  }

  /** The row id of a session's newest active message of a role (`user` by default), or null. */
  latestMessageRowId(sessionId: string, options: lookups.LatestMessageOptions = {}): number | bigint | null {
    return this.#store.read((db) => lookups.latestMessageRowId(db, sessionId, options));
  }

  /** The row id of a session's newest active user message with text, or null. */
  latestUserMessageRowId(sessionId: string): number | bigint | null {
    return this.#store.read((db) => lookups.latestMessageRowId(db, sessionId));
  }

  /** The role of an active message of a session, or null. */
  getMessageRole(sessionId: string, rowId: number): string | null {
    return this.#store.read((db) => lookups.getMessageRole(db, sessionId, rowId));
  }

  /** How many messages a session has, or without `session_id` the whole store; inactive ones included. */
  messageCount(options: { session_id?: string | null } = {}): number {
    return this.#store.read((db) => lookups.messageCount(db, options.session_id ?? null));
  }

  /** Whether a session has a message with this id of the platform, inactive ones included. */
  hasPlatformMessageId(sessionId: string, platformMessageId: string): boolean {
    return this.#store.read((db) => lookups.hasPlatformMessageId(db, sessionId, platformMessageId));
  }

  /** What a user wrote last, newest first, with a preview of at most 80 characters each. */
  listRecentUserMessages(
    sessionId: string,
    options: { limit?: number; include_inactive?: boolean } = {},
  ): texts.RecentUserMessage[] {
    return this.#store.read((db) => texts.listRecentUserMessages(db, sessionId, options));
  }

  /** The text of a session's first assistant message by time; `''` where it has none. */
  getFirstAssistantText(sessionId: string): string {
    return this.#store.read((db) => texts.getFirstAssistantText(db, sessionId));
  }

  /** Titled sessions whose first user message is a skill invocation, newest first. */
  listSkillScaffoldedSessions(options: { limit?: number } = {}): texts.SkillScaffoldedSession[] {
    return this.#store.read((db) => texts.listSkillScaffoldedSessions(db, options));
  }

  /** The messages of a session, or of its whole lineage, in the form that goes back to a model. */
  getMessagesAsConversation(sessionId: string, options: ConversationQuery = {}): ConversationEntry[] {
    return this.#store.read((db) => getMessagesAsConversation(db, sessionId, options));
  }

  /** What a resumed session needs: the conversation for the model, and that of the whole lineage to show. */
  getResumeConversations(sessionId: string): [ConversationEntry[], ConversationEntry[]] {
    return this.#store.read((db) => getResumeConversations(db, sessionId));
  }

  /** The conversation of a session's ancestors, to show before its own; `[]` without a parent. */
  getAncestorDisplayPrefix(sessionId: string): ConversationEntry[] {
    return this.#store.read((db) => getAncestorDisplayPrefix(db, sessionId));
  }

  /** A session with its active messages, or null when there is none. */
  exportSession(sessionId: string): ExportedSession | null {
    this.#usage.flush();
    return this.#store.read((db) => exportSession(db, sessionId));
  }

  /** The whole conversation that a session belongs to, across compressions, or null when there is no such session. */
  exportSessionLineage(sessionId: string): ExportedLineage | null {
    this.#usage.flush();
    return this.#store.read((db) => exportSessionLineage(db, sessionId));
  }

  /** All sessions with their active messages, the last active first, in one array of at most 100,000. */
  exportAll(options: ExportAllOptions = {}): ExportedListedSession[] {
    return this.#store.read((db) => exportAll(db, options));
  }

  /** The sessions of {@link exportAll} without a limit, one by one; the store can be used between them. */
  exportEach(options: ExportAllOptions = {}): Generator<ExportedListedSession, void, undefined> {
    return exportEach((body) => this.#store.read(body), options);
  }

  /**
   * Imports exported sessions, all or none; sessions that are there, or were deleted here, are left alone. What is wrong
   * with entries is told in the result.
   *
   * @throws ImportNotAListError, ImportTooLongError, ImportedTitleTakenError, ImportedStartError
   */
  importSessions(sessions: readonly unknown[], options: ImportOptions = {}): ImportResult {
    return this.#store.write((tx) => importSessions(tx, sessions, options), "transcript");
  }

  /**
   * Lists sessions: conversations by default, newest start first, a compressed one shown as its newest part. See
   * {@link ListSessionsOptions}; {@link RichRow} is the shape.
   */
  listSessionsRich(options: ListSessionsOptions = {}): RichRow[] {
    this.#usage.flush();
    return this.#store.read((db) => listSessionsRich(db, options));
  }

  /** A session with `last_active` and `preview`, or null. With `compact_rows` it has no `system_prompt`. */
  getSessionRichRow(session_id: string, options: { compact_rows?: boolean } = {}): RichRow | null {
    this.#usage.flush();
    return this.#store.read((db) => getSessionRichRow(db, session_id, options));
  }

  /** Sessions by last activity, nothing hidden, each with `last_active`. */
  searchSessions(options: SearchSessionsOptions = {}): ActiveSessionRow[] {
    return this.#store.read((db) => searchSessions(db, options));
  }

  /** Conversations with `query` in an id: exact match first, then beginnings, then the rest, by last activity. */
  searchSessionsById(query: string, options: SearchByIdOptions = {}): RichRow[] {
    this.#usage.flush();
    return this.#store.read((db) => searchSessionsById(db, query, options));
  }

  /** How many sessions there are; archived ones only on request, children unless `exclude_children`. */
  sessionCount(options: SessionCountOptions = {}): number {
    return this.#store.read((db) => sessionCount(db, options));
  }

  /** How many sessions there are of each source, the largest first. */
  sessionCountBySource(options: SessionCountBySourceOptions = {}): Record<string, number> {
    return this.#store.read((db) => sessionCountBySource(db, options));
  }

  /** The runs of a scheduled job, the latest first. */
  listCronJobRuns(job_id: string, options: { limit?: number; offset?: number } = {}): RichRow[] {
    return this.#store.read((db) => listCronJobRuns(db, job_id, options));
  }

  /** The working directories of the sessions with their number and last activity, in order of the path. */
  distinctSessionCwds(options: { include_archived?: boolean } = {}): SessionDirectory[] {
    return this.#store.read((db) => distinctSessionCwds(db, options));
  }

  /** Usage by model and provider, or by task, source or day: calls, tokens, USD; the dearest first. */
  usageByModel(options: UsageStatisticsOptions = {}): UsageGroup[] {
    return this.#store.read((db) => usageByModel(db, options));
  }

  /** Usage of all models together: calls, tokens, USD. */
  usageTotals(options: Omit<UsageStatisticsOptions, "by"> = {}): UsageSums {
    return this.#store.read((db) => usageTotals(db, options));
  }

  /** The sessions that cost most (USD), by actual cost where one was reported, else by estimate. */
  mostExpensiveSessions(options: { limit?: number | undefined; source?: string | undefined } = {}): SessionCost[] {
    return this.#store.read((db) => mostExpensiveSessions(db, options));
  }

  /**
   * Searches messages; one row for each match, with snippet (`>>>` and `<<<` around the match) and context.
   *
   * @throws SearchUnavailableError when the search could not be carried out: that never looks like an empty result
   */
  searchMessages(query: string | null, options: SearchMessagesOptions = {}): SearchResultRow[] {
    return this.#store.read((db) => searchMessages(db, query, options));
  }

  /** Searches messages and says how it went: total, route, whether the indexes are complete. */
  search(query: string | null, options: SearchMessagesOptions = {}): SearchAnswer {
    return this.#store.read((db) => search(db, query, options));
  }

  /**
   * Books what model calls used on a session and on its row for the model, or with `absolute` sets the totals of the
   * session. A session that is not there is made with the source `unknown`.
   *
   * @throws NotANumberError, IntegerRangeError, LoneSurrogateError
   */
  updateTokenCounts(sessionId: string, options: UsageOptions = {}): void {
    recordUsage(this.#store, usageReport(sessionId, options));
  }

  /**
   * {@link updateTokenCounts} in the next turn of the event loop, where neighbours for the same session and route are
   * booked as one. What reads counts books first what waits, and so do `close` and the end of the process.
   *
   * @throws NotANumberError, IntegerRangeError, LoneSurrogateError
   */
  queueTokenCounts(sessionId: string, options: UsageOptions = {}): void {
    this.#usage.add(usageReport(sessionId, options));
  }

  /** Books now what waits, for at most `timeout` seconds (default 5); returns whether nothing is left. Never throws. */
  flushTokenCounts(options: { timeout?: number } = {}): boolean {
    return this.#usage.flush(options.timeout);
  }

  /** Books one call beside the main loop of a session on its row for the model and the task; the session stays as it is. */
  recordAuxiliaryUsage(sessionId: string, task: string, options: AuxiliaryUsageOptions = {}): void {
    recordAuxiliaryUsage(this.#store, sessionId, task, options);
  }
  /**
   * Records the messaging peer of a session, and with `include_compression_ancestors` of the sessions it continues. Does
   * nothing without a session id or `session_key`; a name or origin left out keeps the stored one.
   */
  recordGatewaySessionPeer(session_id: string, source: string, options: GatewayPeerOptions = {}): void {
    this.#store.write((tx) => recordGatewaySessionPeer(tx, session_id, source, options));
  }

  /** Notes that the expiry hooks of a session ran, or with false that they did not. */
  setExpiryFinalized(session_id: string, options: { finalized?: boolean } = {}): void {
    this.#store.write((tx) => setExpiryFinalized(tx, session_id, options.finalized ?? true));
  }

  /** Saves one routing entry of the messaging gateway; nothing without key or entry. */
  saveGatewayRoutingEntry(session_key: string, entry_json: string, options: { scope?: string } = {}): void {
    this.#store.write((tx) => saveGatewayRoutingEntry(tx, session_key, entry_json, options.scope ?? ""));
  }

  /** Replaces all routing entries of a scope. */
  replaceGatewayRoutingEntries(entries: Readonly<Record<string, string>>, options: { scope?: string } = {}): void {
    this.#store.write((tx) => replaceGatewayRoutingEntries(tx, entries, options.scope ?? ""));
  }

  /** Removes routing entries of a scope. */
  deleteGatewayRoutingEntries(session_keys: readonly string[], options: { scope?: string } = {}): void {
    this.#store.write((tx) => deleteGatewayRoutingEntries(tx, session_keys, options.scope ?? ""));
  }

  /** The routing entries of a scope: key to entry JSON. */
  loadGatewayRoutingEntries(options: { scope?: string } = {}): Record<string, string> {
    return this.#store.read((db) => loadGatewayRoutingEntries(db, options.scope ?? ""));
  }

  /** The newest session of each routing key, those active last first. */
  listGatewaySessions(options: GatewaySessionsOptions = {}): GatewaySession[] {
    this.#usage.flush();
    return this.#store.read((db) => listGatewaySessions(db, options));
  }

  /** Id of the live session of a chat, or null where there is none or no clear one. */
  findSessionByOrigin(platform: string, chat_id: string | null, options: OriginOptions = {}): string | null {
    return this.#store.read((db) => findSessionByOrigin(db, platform, chat_id, options));
  }

  /** The newest session of a peer that can go on, or null. */
  findLatestGatewaySessionForPeer(source: string, options: PeerOptions = {}): SessionRow | null {
    return this.#store.read((db) => findLatestGatewaySessionForPeer(db, source, options));
  }

  /** Notes until when (epoch seconds) a session is not compressed again, and why. What SQLite refuses is a notice. */
  recordCompressionFailureCooldown(
    session_id: string,
    cooldown_until: number | null,
    options: { error?: string | null } = {},
  ): void {
    this.#withoutSqlErrors("record the compression cooldown", undefined, () => {
      this.#store.write((tx) => setCompressionFailureCooldown(tx, session_id, cooldown_until, options.error ?? null));
    });
  }

  /** Ends the cooldown of a session. What SQLite refuses is a notice. */
  clearCompressionFailureCooldown(session_id: string): void {
    this.#withoutSqlErrors("clear the compression cooldown", undefined, () => {
      this.#store.write((tx) => setCompressionFailureCooldown(tx, session_id, null, null));
    });
  }

  /** The running cooldown of a session, or null. */
  getCompressionFailureCooldown(session_id: string): Cooldown | null {
    return this.#store.read((db) => getCooldown(db, session_id, this.#store.clock()));
  }

  /** The cooldown columns of a session, whatever the time. */
  getCompressionFailureCooldownRow(session_id: string): CooldownRow {
    return this.#store.read((db) => getCooldownRow(db, session_id));
  }

  /**
   * Sets the cooldown back to a snapshot.
   *
   * @throws CooldownSessionExistsError, CooldownSessionMissingError
   */
  restoreCompressionFailureCooldownRow(session_id: string, snapshot: CooldownSnapshot): void {
    this.#store.write((tx) => restoreCompressionFailureCooldownRow(tx, session_id, snapshot));
  }

  /** How many compressions in a row fell back; 0 for an unknown session. */
  getCompressionFallbackStreak(session_id: string): number | bigint {
    return this.#store.read((db) => getCompressionCounter(db, session_id, "compression_fallback_streak"));
  }

  /** Sets {@link getCompressionFallbackStreak}, at least 0. */
  setCompressionFallbackStreak(session_id: string, streak: unknown): void {
    this.#store.write((tx) => setCompressionCounter(tx, session_id, "compression_fallback_streak", streak));
  }

  /** How many compressions had no effect; 0 for an unknown session. */
  getCompressionIneffectiveCount(session_id: string): number | bigint {
    return this.#store.read((db) => getCompressionCounter(db, session_id, "compression_ineffective_count"));
  }

  /** Sets {@link getCompressionIneffectiveCount}, at least 0. */
  setCompressionIneffectiveCount(session_id: string, count: unknown): void {
    this.#store.write((tx) => setCompressionCounter(tx, session_id, "compression_ineffective_count", count));
  }

  /**
   * Takes the compression lock of a session for `ttl_seconds` (default 300). Returns whether `holder` has it; a holder
   * that has it already keeps its old time. What SQLite refuses is a notice and false.
   */
  tryAcquireCompressionLock(
    session_id: string,
    holder: string | null,
    options: { ttl_seconds?: number } = {},
  ): boolean {
    const { ttl_seconds = DEFAULT_LOCK_SECONDS } = options;
    const request = { now: this.#store.clock(), ttl_seconds, pid: this.#store.pid };
    return this.#withoutSqlErrors("take the compression lock", false, () =>
      this.#store.write((tx) => tryAcquireCompressionLock(tx, session_id, holder, request)),
    );
  }

  /** Gives a lock of `holder` new time. Returns whether it is the holder's. What SQLite refuses is a notice and false. */
  refreshCompressionLock(session_id: string, holder: string | null, options: { ttl_seconds?: number } = {}): boolean {
    const { ttl_seconds = DEFAULT_LOCK_SECONDS } = options;
    return this.#withoutSqlErrors("refresh the compression lock", false, () =>
      this.#store.write((tx) => refreshCompressionLock(tx, session_id, holder, ttl_seconds)),
    );
  }

  /** Gives a lock of `holder` back. What SQLite refuses is a notice. */
  releaseCompressionLock(session_id: string, holder: string | null): void {
    this.#withoutSqlErrors("release the compression lock", undefined, () => {
      this.#store.write((tx) => releaseCompressionLock(tx, session_id, holder));
    });
  }

  /** Who holds the compression lock of a session, or null. */
  getCompressionLockHolder(session_id: string): string | null {
    return this.#store.read((db) => getCompressionLockHolder(db, session_id, this.#store.clock()));
  }

  /** Asks for a session to be handed to another platform. Returns whether it was; not while one is under way. */
  requestHandoff(session_id: string, platform: string): boolean {
    return this.#store.write((tx) => requestHandoff(tx, session_id, platform));
  }

  /** Takes a pending hand-off. Returns whether there was one. */
  claimHandoff(session_id: string): boolean {
    return this.#store.write((tx) => claimHandoff(tx, session_id));
  }

  /** Ends a hand-off well. */
  completeHandoff(session_id: string): void {
    this.#store.write((tx) => completeHandoff(tx, session_id));
  }

  /** Ends a hand-off with an error text, kept to 500 characters. */
  failHandoff(session_id: string, error: string): void {
    this.#store.write((tx) => failHandoff(tx, session_id, error));
  }

  /** State, platform and error of a session's hand-off; null for an unknown session. */
  getHandoffState(session_id: string): HandoffState | null {
    return this.#store.read((db) => getHandoffState(db, session_id));
  }

  /** Sessions whose hand-off is pending, the oldest first. */
  listPendingHandoffs(): SessionRow[] {
    return this.#store.read((db) => listPendingHandoffs(db));
  }

  /** The value of a metadata key, or null. */
  getMeta(key: string): string | null {
    return this.#store.read((db) => getMeta(db, key));
  }

  /** Sets a metadata key. */
  setMeta(key: string, value: string | null): void {
    this.#store.write((tx) => setMeta(tx, key, value));
  }

  /** Makes the tables of Telegram topics, or brings them up to date. */
  applyTelegramTopicMigration(): void {
    this.#store.write((tx) => applyTelegramTopicMigration(tx));
  }

  /** Switches topic mode of a Telegram chat on. */
  enableTelegramTopicMode(chat_id: TelegramId, user_id: TelegramId, options: TopicCapabilities = {}): void {
    this.#store.write((tx) => {
      applyTelegramTopicMigration(tx);
      enableTelegramTopicMode(tx, chat_id, user_id, options);
    });
  }

  /** Switches topic mode of a Telegram chat off, and unless `clear_bindings` is false unbinds its topics. */
  disableTelegramTopicMode(chat_id: TelegramId, options: { clear_bindings?: boolean } = {}): void {
    this.#store.write((tx) => disableTelegramTopicMode(tx, chat_id, options));
  }

  /** Whether topic mode is on for that chat and user. */
  isTelegramTopicModeEnabled(chat_id: TelegramId, user_id: TelegramId): boolean {
    return this.#store.read((db) => isTelegramTopicModeEnabled(db, chat_id, user_id));
  }

  /**
   * Binds a Telegram topic to a session.
   *
   * @throws TopicTakenError, SessionNotFoundError
   */
  bindTelegramTopic(
    chat_id: TelegramId,
    thread_id: TelegramId,
    user_id: TelegramId,
    session_key: string,
    session_id: string,
    options: { managed_mode?: string } = {},
  ): void {
    const { managed_mode = "auto" } = options;
    this.#store.write((tx) => {
      applyTelegramTopicMigration(tx);
      bindTelegramTopic(tx, { chat_id, thread_id, user_id, session_key, session_id, managed_mode });
    });
  }

  /** Unbinds a topic; a chat that loses its last one leaves topic mode. Returns how many were unbound. */
  deleteTelegramTopicBinding(chat_id: TelegramId, thread_id: TelegramId): 0 | 1 {
    return this.#store.write((tx) => deleteTelegramTopicBinding(tx, chat_id, thread_id));
  }

  /** The binding of a topic, or null. */
  getTelegramTopicBinding(chat_id: TelegramId, thread_id: TelegramId): TelegramTopicBindingRow | null {
    return this.#store.read((db) => getTelegramTopicBinding(db, chat_id, thread_id));
  }

  /** The binding of a session, or null. */
  getTelegramTopicBindingBySession(session_id: string): TelegramTopicBindingRow | null {
    return this.#store.read((db) => getTelegramTopicBindingBySession(db, session_id));
  }

  /** The bindings of a chat, the latest changed first. */
  listTelegramTopicBindingsForChat(chat_id: TelegramId): TelegramTopicBindingRow[] {
    return this.#store.read((db) => listTelegramTopicBindingsForChat(db, chat_id));
  }

  /** Whether a session is bound to a topic. */
  isTelegramSessionLinkedToTopic(session_id: string): boolean {
    return this.getTelegramTopicBindingBySession(session_id) !== null;
  }

  /** Telegram sessions of a user that no topic has, those active last first. */
  listUnlinkedTelegramSessionsForUser(
    _chat_id: TelegramId,
    user_id: TelegramId,
    options: { limit?: number } = {},
  ): UnlinkedTelegramSession[] {
    return this.#store.read((db) => listUnlinkedTelegramSessionsForUser(db, user_id, options));
  }

  #withoutSqlErrors<T>(what: string, otherwise: T, work: () => T): T {
    const notice = { code: "documented_silence", message: `Could not ${what}` };
    return withoutSqlErrors(this.#store, notice, otherwise, work);
  }

  /** Whether this store once held the session and deleted it: its events are erased, its id is known. */
  wasDeleted(session_id: string): boolean {
    this.#store.requireLog();
    return this.#store.read((db) => getSessionStart(db, session_id) === null && wasErased(db, session_id));
  }

  /** Ids of all sessions, oldest start first, the same start in order of id. */
  sessionIds(): string[] {
    return this.#store.read((db) => sessionIds(db));
  }

  /**
   * A catch-up subscription to the log: history from a position, then what is appended live, by any process, in order and
   * each event once. See {@link EventStreamOptions}; `caughtUp$` of the result tells when the tail is reached.
   */
  events$(options: EventStreamOptions = {}): EventStream {
    this.#store.requireLog();
    return eventStream(this.#store, options);
  }

  /**
   * Proves the store: the hash chain holds, and every documented table is what the log says, value by value. Works on a
   * snapshot, changes nothing, and lets writers go on. Finding something wrong is a result (`ok: false`), no error.
   */
  verify(options: VerifyOptions = {}): VerifyReport {
    this.#store.requireLog();
    return verify(this.#store.path, this.#store.projections, options);
  }

  /**
   * Makes the full-text indexes anew from the messages, after damage or an interrupted rebuild, in one transaction; search
   * is complete afterwards, and nothing is left of an unfinished backfill. Returns the number of indexes made.
   *
   * @throws ReadOnlyStoreError, MaintenanceInTransactionError, EngineError
   */
  rebuildFts(): number {
    return this.#store.maintain((db) => db.transaction(() => rebuildSearchIndexes(db)).immediate());
  }

  /**
   * Merges each full-text index into one segment. Returns how many; one that cannot be merged is told as a notice.
   *
   * @throws ReadOnlyStoreError, MaintenanceInTransactionError, EngineError
   */
  optimizeFts(): number {
    return optimizeFts(this.#store);
  }

  /** How far an unfinished filling of the full-text indexes has come; null when none is pending. */
  ftsRebuildStatus(): IndexBackfill | null {
    return this.#store.read((db) => indexBackfill(db));
  }

  /** {@link ftsRebuildStatus} of the index for Chinese, Japanese and Korean, as the program that keeps it left it. */
  ftsCjkRebuildStatus(): IndexBackfill | null {
    return this.#store.read((db) => indexBackfill(db, "fts_cjk_"));
  }

  /** Whether the full-text indexes lack messages that {@link optimizeFtsStorage} takes in; false for a read-only store. */
  ftsOptimizeAvailable(): boolean {
    return ftsOptimizeAvailable(this.#store);
  }

  /**
   * One step of an unfinished filling of the full-text indexes: the messages of the next 500 ids, in a transaction of its
   * own. True while there is more to do; false when nothing is, or the store is read-only.
   *
   * @throws MaintenanceInTransactionError, EngineError
   */
  ftsRebuildStep(): boolean {
    return ftsRebuildStep(this.#store);
  }

  /** A step for the index for Chinese, Japanese and Korean. It needs a tokenizer that this version lacks: always false. */
  ftsCjkRebuildStep(): boolean {
    this.#store.requireOpen();
    return false;
  }

  /**
   * Fills the full-text indexes in steps, with pauses in which other processes write, and then gives free space back. May
   * be interrupted and repeated. Blocks until it is done; a step takes a fifth of the time at most.
   *
   * @throws MaintenanceInTransactionError, EngineError
   */
  optimizeFtsStorage(options: OptimizeFtsStorageOptions = {}): FtsStorageResult {
    return optimizeFtsStorage(this.#store, options);
  }

  /**
   * Makes every documented table again from the log, in one transaction; until it commits nothing has changed.
   *
   * @throws UnexplainedRowsError when the tables hold rows that the log does not explain
   */
  rebuild(options: RebuildOptions = {}): RebuildReport {
    return this.#store.maintain((db) => rebuild(db, this.#store.projections, options));
  }
}
