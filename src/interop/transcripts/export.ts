import type { SessionDB } from "../../store/session-db.js";
import type { MessageRow } from "../../store/messages/message-row.js";
import type { Transcript, TranscriptMessage } from "./transcript.js";

/** Which sessions to export. */
export interface ExportOptions {
  /** Only these; default: all, oldest first. */
  readonly session_ids?: readonly string[];
}

/**
 * Exports sessions in the uniform transcript form, one JSON line each (without the line end), oldest first. The system
 * prompt becomes the leading `system` message again. One session at a time is in memory.
 */
export function* exportTranscripts(db: SessionDB, options: ExportOptions = {}): Generator<string, void, undefined> {
  for (const id of options.session_ids ?? db.sessionIds()) {
    const session = exportTranscript(db, id);
    if (session !== null) yield transcriptLine(session);
  }
}

/** One session in the uniform transcript form, or null when there is none of that id. */
export function exportTranscript(db: SessionDB, sessionId: string): Transcript | null {
  const session = db.getSession(sessionId);
  if (session === null) return null;
  const messages = db.getMessages(sessionId).map(toTranscriptMessage);
  const prompt =
    session.system_prompt === null
      ? []
      : [{ role: "system", content: session.system_prompt, timestamp: promptTime(db, sessionId, session.started_at) }];
  return {
    id: session.id,
    source: session.source,
    model: session.model,
    title: session.title,
    started_at: session.started_at,
    messages: [...prompt, ...messages],
  };
}

/** When the prompt was said: no column holds it, the event that created the session does. */
function promptTime(db: SessionDB, sessionId: string, startedAt: number): number {
  const [created] = db.log.read({ streamId: sessionId, types: ["SessionCreated"], reverse: true, limit: 1 });
  return (created?.type === "SessionCreated" && created.payload?.system_prompt_at) || startedAt;
}

function toTranscriptMessage(row: MessageRow): TranscriptMessage {
  const { content, tool_calls, token_count } = row;
  return {
    role: row.role,
    content: typeof content === "string" || content === null ? content : compactJson(content),
    ...(isCallList(tool_calls) ? { tool_calls } : {}),
    ...(row.tool_call_id === null ? {} : { tool_call_id: row.tool_call_id }),
    ...(row.tool_name === null ? {} : { tool_name: row.tool_name }),
    timestamp: row.timestamp,
    ...(row.finish_reason === null ? {} : { finish_reason: row.finish_reason }),
    ...(row.reasoning === null ? {} : { reasoning: row.reasoning }),
    ...(token_count === null ? {} : { token_count: Number(token_count) }),
  };
}

function isCallList(value: unknown): value is NonNullable<TranscriptMessage["tool_calls"]> {
  return Array.isArray(value) && value.every((call) => typeof call === "object" && call !== null);
}

/** A transcript as the form has it: compact JSON, times as reals (`1767225600.0`). */
export function transcriptLine(session: Transcript): string {
  const messages = session.messages.map((message) => fields(message, { timestamp: realText(message.timestamp) }));
  return fields(session, { started_at: realText(session.started_at), messages: `[${messages.join(",")}]` });
}

/** The object as JSON, with some of its keys as the given text. */
function fields(object: object, texts: Readonly<Record<string, string>>): string {
  const parts = Object.entries(object).map(
    ([key, value]) => `${JSON.stringify(key)}:${texts[key] ?? compactJson(value)}`,
  );
  return `{${parts.join(",")}}`;
}

function realText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${String(value)}.0` : String(value);
}

/** JSON without spaces; whole numbers beyond 2^53 stand as they are. */
function compactJson(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(compactJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return fields(value, {});
}
