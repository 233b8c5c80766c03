import { chainHash, GENESIS_HASH, payloadHash } from "../../events/index.js";
import type { EventRow } from "./event-row.js";

/** The first place where the chain of the log does not hold. */
export interface ChainProblem {
  readonly position: number;
  readonly problem:
    "position gap" | "stream version gap" | "payload changed" | "event changed" | "truncated" | "pinned head differs";
  readonly message: string;
}

/** What walking the chain found. */
export interface ChainReport {
  readonly ok: boolean;
  readonly events: number;
  readonly erased: number;
  readonly head: { readonly position: number; readonly hash: string };
  readonly problem: ChainProblem | null;
}

/** See {@link chainWalk}. */
export interface ChainWalk {
  /** The next row of the log. */
  step(row: EventRow): void;
  /** Position of the last row seen. */
  position(): number;
  /** The result; `lastGivenOut` is the highest position the file ever gave out. */
  report(lastGivenOut: number): ChainReport;
}

/**
 * A walk along the hash chain: give it every row in order, then ask for the report. It stops judging at the first
 * problem, since everything after it hangs on that event. A `pinned` head, noted earlier elsewhere, must still stand at its
 * position: without one, a log that was rewritten or cut off as a whole cannot be told from a genuine one.
 */
export function chainWalk(pinned?: { readonly position: number; readonly hash: string }): ChainWalk {
  let previous: Uint8Array = GENESIS_HASH;
  let position = 0;
  let erased = 0;
  let problem: ChainProblem | null = null;
  const versions = new Map<string, number>();
  const fail = (at: number, kind: ChainProblem["problem"], message: string): void => {
    problem ??= { position: at, problem: kind, message };
  };
  const judge = (row: EventRow): void => {
    if (row.position !== position + 1) {
      fail(
        row.position,
        "position gap",
        `Position ${position} is followed by ${row.position}: an event is missing or out of order.`,
      );
    }
    const version = (versions.get(row.stream_id) ?? 0) + 1;
    if (row.stream_version !== version) {
      fail(
        row.position,
        "stream version gap",
        `Event ${row.position} is version ${row.stream_version} of stream '${row.stream_id}', expected ${version}.`,
      );
    }
    const { payload, salt, payload_hash } = row;
    if (payload !== null && (salt === null || !equal(payloadHash(salt, payload), payload_hash))) {
      fail(
        row.position,
        "payload changed",
        `The payload of event ${row.position} (${row.type}) is not the one that was appended.`,
      );
    }
    if (payload_hash === null || !equal(chainHash(previous, row, payload_hash), row.hash)) {
      fail(
        row.position,
        "event changed",
        `The hash of event ${row.position} (${row.type}) does not follow from the event before it and its own content.`,
      );
    }
    if (row.position === pinned?.position && hex(row.hash ?? NO_HASH) !== pinned.hash) {
      fail(
        row.position,
        "pinned head differs",
        `The hash at position ${row.position} is not the pinned one: the log was rewritten.`,
      );
    }
    versions.set(row.stream_id, row.stream_version);
  };
  return {
    step: (row) => {
      // What follows the first problem hangs on it, so it says nothing more.
      if (problem === null) judge(row);
      if (row.payload === null) erased += 1;
      position = row.position;
      previous = row.hash ?? NO_HASH;
    },
    position: () => position,
    report: (lastGivenOut) => {
      if (pinned !== undefined && position < pinned.position) {
        fail(
          position + 1,
          "truncated",
          `The log ends at position ${position}, the pinned head is at ${pinned.position}.`,
        );
      }
      if (position < lastGivenOut) {
        fail(
          position + 1,
          "truncated",
          `The log ends at position ${position}, but positions up to ${lastGivenOut} were given out.`,
        );
      }
      const head = { position, hash: hex(previous) };
      return { ok: problem === null, events: position, erased, head, problem };
    },
  };
}

const NO_HASH = new Uint8Array(0);

function equal(a: Uint8Array, b: Uint8Array | null): boolean {
  return b !== null && Buffer.compare(a, b) === 0;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
