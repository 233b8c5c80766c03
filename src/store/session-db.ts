import { appendMessage, type AppendMessageInput } from "./commands/append-message.js";
import { eventLog, type EventLog } from "./log/event-log.js";
import { rebuild, type RebuildOptions, type RebuildReport } from "./audit/rebuild.js";
import { verify, type VerifyOptions, type VerifyReport } from "./audit/verify.js";
import { rebuildSearchIndexes } from "./search/index-recovery.js";
import { eventStream, type EventStream, type EventStreamOptions } from "./live/event-stream.js";
import { wasErased } from "./log/erase.js";
import { getSessionStart, sessionIds } from "./queries/session-ids.js";
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

/**
 * The session store: the documented operations under their documented names (camelCase), and the log they append to.
 * Required parameters are positional, optional ones stand in one trailing object under their documented names.
 * Times are epoch seconds, costs USD. What a method refuses it throws as a {@link LedgerError}, and nothing is changed.
 */
export class SessionDB implements Disposable {
  readonly #store: Store;
  /** The append log: typed events in and out. */
  readonly log: EventLog;

  private constructor(store: Store) {
    this.#store = store;
    this.log = eventLog(store);
  }

  /**
   * Opens the store, by default at the documented location (`$HERMES_HOME/state.db`, else `~/.hermes/state.db`), and
   * makes the file when it is missing.
   *
   * @throws PathNotFoundError, NotADatabaseError, ReadOnlyFileError, NewerSchemaError, NotAdoptedError, EngineError;
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
   * Runs several operations as one: one commit, one batch in the log. When `body` throws, nothing of it remains. An
   * operation that fails inside and is caught by `body` undoes only itself.
   */
  transaction<T>(body: () => T): T {
    return this.#store.write(body, "transcript");
  }

  // @sessions
  // @titles
  // @lineage
  // @deleting
  // @messages

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

  // @reading

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
  // @exchange

  /** A session with its active messages, or null when there is none. */
  exportSession(sessionId: string): ExportedSession | null {
    return this.#store.read((db) => exportSession(db, sessionId));
  }

  /** The whole conversation that a session belongs to, across compressions, or null when there is no such session. */
  exportSessionLineage(sessionId: string): ExportedLineage | null {
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

  // @listing
  // @search
  // @usage
  // @gateway
  // @compression
  // @coordination
  // @audit
  /** Whether this store once held the session and deleted it: its events are erased, its id is known. */
  wasDeleted(session_id: string): boolean {
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
    this.#store.requireOpen();
    return eventStream(this.#store, options);
  }

  /**
   * Proves the store: the hash chain holds, and every documented table is what the log says, value by value. Works on a
   * snapshot, changes nothing, and lets writers go on. Finding something wrong is a result (`ok: false`), no error.
   */
  verify(options: VerifyOptions = {}): VerifyReport {
    this.#store.requireOpen();
    return verify(this.#store.path, this.#store.projections, options);
  }

  /**
   * Makes the full-text indexes anew from the messages, after damage or an interrupted rebuild; search is complete
   * afterwards. Returns the number of indexes made.
   */
  rebuildSearchIndexes(): number {
    return this.#store.maintain((db) => db.transaction(() => rebuildSearchIndexes(db)).immediate());
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
