import { appendMessage, type AppendMessageInput } from "./commands/append-message.js";
import { eventLog, type EventLog } from "./log/event-log.js";
import { rebuild, type RebuildOptions, type RebuildReport } from "./audit/rebuild.js";
import { verify, type VerifyOptions, type VerifyReport } from "./audit/verify.js";
import { rebuildSearchIndexes } from "./search/index-recovery.js";
import { Store, type StoreOptions } from "./store.js";

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

  // @reading
  // @exchange
  // @listing
  // @search
  // @usage
  // @gateway
  // @compression
  // @coordination
  // @audit
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
