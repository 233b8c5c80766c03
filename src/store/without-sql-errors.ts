import { ReadOnlyStoreError } from "./connection/open-errors.js";
import { EngineError } from "./connection/sqlite-errors.js";
import type { Notice, Store } from "./store.js";

/**
 * For operations that are documented not to fail when the file cannot be read or written: the result of `work`, or
 * `otherwise` when SQLite refuses, which a notice tells. Other errors are thrown.
 */
export function withoutSqlErrors<T>(store: Store, { code, message: what }: Notice, otherwise: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EngineError) && !(error instanceof ReadOnlyStoreError)) throw error;
    store.notice({ code, message: `${what}: ${error.message}` });
    return otherwise;
  }
}
