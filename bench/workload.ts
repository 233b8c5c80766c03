import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Transcript } from "../src/index.js";

const here = fileURLToPath(import.meta.url);
const shared = process.env["HERMES_LEDGER_SHARED"] ?? resolve(here, "../../../shared");

/** A message to write: the session it belongs to and its fields. */
export interface WorkMessage {
  readonly session_id: string;
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  readonly timestamp: number;
}

/** What a benchmark writes: sessions and their messages, in order, and where they come from. */
export interface Workload {
  readonly name: string;
  readonly sessions: readonly { readonly id: string; readonly source: string; readonly started_at: number }[];
  readonly messages: readonly WorkMessage[];
}

/** Real transcripts where they are to be had beside the repository, else the samples, until `messages` are reached. */
export function workload(messages: number): Workload {
  const { name, transcripts } = load();
  const sessions: { id: string; source: string; started_at: number }[] = [];
  const rows: WorkMessage[] = [];
  for (let round = 0; rows.length < messages; round++) {
    for (const transcript of transcripts) {
      if (rows.length >= messages) break;
      const id = round === 0 ? transcript.id : `${transcript.id}~${round}`;
      sessions.push({ id, source: transcript.source, started_at: transcript.started_at });
      for (const message of transcript.messages.slice(0, messages - rows.length)) rows.push(work(id, message));
    }
  }
  return { name, sessions, messages: rows };
}

function work(session_id: string, message: Transcript["messages"][number]): WorkMessage {
  return {
    session_id,
    role: message.role,
    content: message.content,
    timestamp: message.timestamp,
    ...(message.tool_calls === undefined ? {} : { tool_calls: message.tool_calls }),
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: message.tool_call_id }),
    ...(message.tool_name === undefined ? {} : { tool_name: message.tool_name }),
  };
}

function load(): { name: string; transcripts: Transcript[] } {
  const corpus = join(shared, "corpus");
  try {
    return { name: "corpus", transcripts: read(corpus) };
  } catch {
    return { name: "samples", transcripts: read(resolve(here, "../../samples")) };
  }
}

function read(directory: string): Transcript[] {
  const files = readdirSync(directory).filter((file) => file.endsWith(".jsonl"));
  if (files.length === 0) throw new Error(`no transcripts in ${directory}`);
  return files.flatMap((file) =>
    readFileSync(join(directory, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Transcript),
  );
}
