import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished } from "vitest";
import type { EventPayloads } from "../../src/events/index.js";
import { SessionDB } from "../../src/store/session-db.js";

/** A store in a folder of its own, and what tests do to it beside the documented operations. */
export interface TranscriptStore {
  readonly db: SessionDB;
  readonly path: string;
  /** Sets the clock (epoch seconds); it stands still otherwise. */
  readonly setClock: (now: number) => void;
  /** Makes a session; the source is `cli` unless given. */
  readonly session: (id: string, fields?: EventPayloads["SessionCreated"]["fields"]) => void;
  /** Ends a session by compression, unless another reason is given. */
  readonly end: (id: string, reason?: string) => void;
  /** Appends a plain user message and returns its id. */
  readonly say: (sessionId: string, text: string) => number;
  /** Types of the events in the log from a position on. */
  readonly eventTypes: (from?: number) => string[];
  /** Runs statements as another program would that writes the same file. */
  readonly plant: (sql: string) => void;
}

/**
 * Opens a store for the running test. The clock stands at 1000. When the test ends the log must explain the tables,
 * unless the test planted rows, and everything is removed.
 */
export function transcriptStore(): TranscriptStore {
  const folder = mkdtempSync(join(tmpdir(), "hermes-ledger-transcript-"));
  const path = join(folder, "state.db");
  let now = 1000;
  let explained = true;
  const db = SessionDB.open({ path, clock: () => now, lockPatience: 0 });
  onTestFinished(() => {
    db.close();
    if (explained) {
      using again = SessionDB.open({ path });
      expect(again.verify()).toMatchObject({ ok: true });
    }
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    db,
    path,
    setClock: (time) => void (now = time),
    session: (session_id, fields = {}) => {
      db.log.append({ type: "SessionCreated", payload: { session_id, fields: { source: "cli", ...fields } } });
    },
    end: (session_id, end_reason = "compression") => {
      db.log.append({ type: "SessionEnded", payload: { session_id, end_reason } });
    },
    say: (session_id, content) => db.appendMessage({ session_id, role: "user", content }),
    eventTypes: (from = 1) => [...db.log.read({ from })].map(({ type }) => type),
    plant: (sql) => {
      explained = false;
      const foreign = new Database(path);
      foreign.pragma("foreign_keys = OFF");
      foreign.pragma("recursive_triggers = OFF");
      foreign.exec(sql);
      foreign.close();
    },
  };
}
