import type { MessageRow } from "../../store/messages/message-row.js";
import type { Style } from "./style.js";
import { visibleText, wrapText } from "./text.js";
import { formatExactTime } from "./time.js";

/** How a transcript is laid out. */
export interface TranscriptLayout {
  readonly style: Style;
  readonly width: number;
  /** Lines of a tool's result to show; the rest is counted. */
  readonly toolLines: number;
}

const INDENT = "  ";

/** A message for people: who, when, and the text, wrapped and indented. */
export function messageText(message: MessageRow, layout: TranscriptLayout): string {
  const { style, width } = layout;
  const { role, tool_name } = message;
  const name = role === "tool" && tool_name !== null ? `tool ${tool_name}` : role;
  const place = style.dim(`#${message.id}  ${formatExactTime(message.timestamp)}${stateOf(message)}`);
  const wrap = (text: string): string[] =>
    wrapText(visibleText(text).trim(), width - INDENT.length).map((line) => (line === "" ? "" : INDENT + line));
  const content = contentText(message.content);
  const lines = content === "" ? [] : wrap(content);
  return [
    `${roleStyle(style, role)(visibleText(name))}  ${place}`,
    ...(role === "tool" ? shortened(lines, layout) : lines),
    ...callTexts(message.tool_calls).flatMap((call) => shortened(wrap(`→ ${call}`), layout).map(style.cyan)),
  ].join("\n");
}

function stateOf({ active, compacted }: MessageRow): string {
  if (compacted === 1) return "  compacted";
  return active === 0 ? "  rewound" : "";
}

function roleStyle(style: Style, role: string): (text: string) => string {
  if (role === "user") return (text) => style.bold(style.green(text));
  return role === "assistant" ? (text) => style.bold(style.blue(text)) : style.bold;
}

function shortened(lines: readonly string[], { toolLines, style }: TranscriptLayout): string[] {
  const hidden = lines.length - toolLines;
  // A remark that takes the place of one line would save nothing.
  if (hidden <= 1) return [...lines];
  return [...lines.slice(0, toolLines), style.dim(`${INDENT}… ${hidden} more lines`)];
}

/** The text of a message's content; of structured content its text parts, the others by their type. */
function contentText(content: unknown): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (content instanceof Uint8Array) return `[${content.length} bytes]`;
  if (Array.isArray(content)) return content.map(partText).join("\n");
  return JSON.stringify(content);
}

function partText(part: unknown): string {
  if (typeof part !== "object" || part === null) return String(part);
  if ("text" in part && typeof part.text === "string") return part.text;
  return `[${"type" in part ? String(part.type) : "part"}]`;
}

/** Tool calls as one would write them: `name(arguments)`. */
function callTexts(calls: unknown): string[] {
  if (!Array.isArray(calls)) return [];
  return calls.map((call: unknown) => {
    const called = field(call, "function") ?? call;
    const name = field(called, "name");
    const given = field(called, "arguments");
    const text = typeof given === "string" ? given : JSON.stringify(given ?? {});
    return `${typeof name === "string" ? name : "call"} ${text}`;
  });
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
