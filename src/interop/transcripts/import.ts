import { createReadStream, statSync } from "node:fs";
import { createInterface } from "node:readline";
import type { EventDraft } from "../../store/write-transaction.js";
import { LedgerError } from "../../events/index.js";
import type { Progress } from "../../projections/index.js";
import type { SessionDB } from "../../store/session-db.js";
import { parsePythonJson } from "../../store/values/python-json.js";
import { transcript, type Transcript } from "./transcript.js";

/** Watching and bounding an import. */
export interface ImportOptions {
  /** Only say what would be imported. */
  readonly dryRun?: boolean;
  /** Bring back sessions that were deleted from this store. */
  readonly restoreDeleted?: boolean;
  /** Bytes read of all files. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting ends the import between two sessions; what was imported stays. */
  readonly signal?: AbortSignal;
}

/** An entry that was not imported because something is wrong with it. */
export interface ImportProblem {
  readonly file: string;
  /** Line in the file, from 1; 0 where the file as a whole is meant. */
  readonly line: number;
  readonly session_id: string | null;
  readonly error: string;
}

/** What an import did, or with `dry_run` would do. */
export interface ImportReport {
  readonly dry_run: boolean;
  readonly files: number;
  /** Sessions that came in. */
  readonly sessions: number;
  /** Message rows that came in; leading system messages became system prompts. */
  readonly messages: number;
  readonly system_prompts: number;
  /** Sessions that were there already; they are left as they are. */
  readonly skipped: number;
  /** Ids of sessions that were deleted from this store and therefore stay out. */
  readonly deleted_before: readonly string[];
  readonly problems: readonly ImportProblem[];
}

/** A line longer than this is refused, so that no file can fill the memory. */
const MAX_LINE_CHARACTERS = 256 * 1024 * 1024;

/** Sessions are written in groups of about so many events: each commit costs a disk flush and an index segment. */
const GROUP_EVENTS = 2000;

/**
 * Imports files of transcripts, a session a line. A session comes in whole or not at all. One that is already there is
 * skipped, so importing again adds nothing; a line that cannot be used is reported with file and line, and the rest goes
 * on. Aborting ends the import between two groups of sessions.
 */
export async function importTranscripts(
  db: SessionDB,
  files: readonly string[],
  options: ImportOptions = {},
): Promise<ImportReport> {
  const sizes = files.map(sizeOf);
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const intake = newIntake(db, options);
  let done = 0;
  for (const [index, file] of files.entries()) {
    if (sizes[index] === null) {
      intake.problems.push({ file, line: 0, session_id: null, error: "no such file; nothing was read from it" });
      continue;
    }
    let line = 0;
    for await (const text of linesOf(file)) {
      options.signal?.throwIfAborted();
      line += 1;
      done += Buffer.byteLength(text) + 1;
      options.onProgress?.({ phase: "import", done: Math.min(done, total), total });
      if (text.trim() === "") continue;
      const parsed = parseLine(text);
      if ("error" in parsed) intake.problems.push({ file, line, ...parsed });
      else intake.take({ session: parsed, file, line });
    }
  }
  intake.flush();
  const { tally, deleted_before, problems } = intake;
  return { dry_run: options.dryRun ?? false, files: files.length, ...tally, deleted_before, problems };
}

interface Entry {
  readonly session: Transcript;
  readonly file: string;
  readonly line: number;
}

interface Intake {
  readonly tally: Tally;
  readonly deleted_before: string[];
  readonly problems: ImportProblem[];
  take(entry: Entry): void;
  flush(): void;
}

function newIntake(db: SessionDB, options: ImportOptions): Intake {
  const tally: Tally = { sessions: 0, messages: 0, system_prompts: 0, skipped: 0 };
  const deleted_before: string[] = [];
  const problems: ImportProblem[] = [];
  let group: Entry[] = [];
  let events = 0;
  const settle = ({ session }: Entry, outcome: Outcome): void => {
    if (outcome === "skipped") tally.skipped += 1;
    else if (outcome === "deleted") deleted_before.push(session.id);
    else {
      tally.sessions += 1;
      tally.messages += outcome.messages;
      tally.system_prompts += outcome.system_prompts;
    }
  };
  const oneByOne = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      try {
        settle(entry, takeIn(db, entry.session, options));
      } catch (error) {
        if (!(error instanceof LedgerError) || !isAboutTheEntry(error)) throw error;
        problems.push({ file: entry.file, line: entry.line, session_id: entry.session.id, error: error.message });
      }
    }
  };
  const flush = (): void => {
    const entries = group;
    group = [];
    events = 0;
    if (options.dryRun === true) {
      oneByOne(entries);
      return;
    }
    let outcomes: Outcome[];
    try {
      outcomes = db.transaction(() => entries.map((entry) => takeIn(db, entry.session, options)));
    } catch (error) {
      if (!(error instanceof LedgerError) || !isAboutTheEntry(error)) throw error;
      // One entry is wrong and took the group with it: without company each is judged by itself.
      oneByOne(entries);
      return;
    }
    entries.forEach((entry, index) => settle(entry, outcomes[index] ?? "skipped"));
  };
  return {
    tally,
    deleted_before,
    problems,
    flush,
    take: (entry) => {
      group.push(entry);
      events += entry.session.messages.length + 2;
      if (events >= GROUP_EVENTS) flush();
    },
  };
}

/** Errors of one entry; anything else (a full disk, a lock) concerns the whole import. */
function isAboutTheEntry(error: LedgerError): boolean {
  return ["validation", "constraint", "range", "encoding", "type", "state"].includes(error.kind);
}

function sizeOf(file: string): number | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.size : null;
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file, { encoding: "utf8" }), crlfDelay: Infinity });
}

function parseLine(text: string): Transcript | { session_id: string | null; error: string } {
  if (text.length > MAX_LINE_CHARACTERS) return { session_id: null, error: "the line is too long" };
  let value: unknown;
  try {
    value = parsePythonJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    return { session_id: null, error: `no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const result = transcript.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const id =
    typeof value === "object" && value !== null && "id" in value && typeof value.id === "string" ? value.id : null;
  return { session_id: id, error: `${issue?.path.join(".") || "session"}: ${issue?.message ?? "malformed"}` };
}

interface Tally {
  sessions: number;
  messages: number;
  system_prompts: number;
  skipped: number;
}

type Outcome = { readonly messages: number; readonly system_prompts: number } | "skipped" | "deleted";

function takeIn(db: SessionDB, session: Transcript, options: ImportOptions): Outcome {
  if (db.getSession(session.id) !== null) return "skipped";
  if (options.restoreDeleted !== true && db.wasDeleted(session.id)) return "deleted";
  const { drafts, messages, hasPrompt } = sessionEvents(session);
  if (options.dryRun !== true) db.log.append(drafts, { origin: "import" });
  return { messages, system_prompts: hasPrompt ? 1 : 0 };
}

/** The events of a transcript: the session, its title, each message. */
function sessionEvents(session: Transcript): { drafts: EventDraft[]; messages: number; hasPrompt: boolean } {
  const first = session.messages[0];
  const prompt = first?.role === "system" && typeof first.content === "string" ? first : undefined;
  const rest = prompt === undefined ? session.messages : session.messages.slice(1);
  const drafts: EventDraft[] = [
    {
      type: "SessionCreated",
      payload: {
        session_id: session.id,
        fields: {
          source: session.source,
          started_at: session.started_at,
          ...(session.model === null ? {} : { model: session.model }),
          ...(prompt === undefined ? {} : { system_prompt: prompt.content }),
        },
        ...(prompt === undefined ? {} : { system_prompt_at: prompt.timestamp }),
      },
    },
  ];
  if (session.title !== null) {
    drafts.push({ type: "TitleSet", payload: { session_id: session.id, title: session.title } });
  }
  for (const message of rest) {
    drafts.push({ type: "MessageAppended", payload: { session_id: session.id, message } });
  }
  return { drafts, messages: rest.length, hasPrompt: prompt !== undefined };
}
