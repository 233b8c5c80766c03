import type { LogEvent } from "../../events/index.js";
import { counted, formatCount } from "./numbers.js";
import type { Style } from "./style.js";
import { fitText, oneLine, padText } from "./text.js";
import { formatExactTime } from "./time.js";

const POSITION = 7;
const TYPE = 19;
const STREAM = 24;
const TIME = 19;
/** From this width on there is room for the time. */
const WITH_TIME = 110;

/** The heads over {@link eventLine}. */
export function eventHeads({ style, width }: { readonly style: Style; readonly width: number }): string {
  const time = width >= WITH_TIME ? `${padText("RECORDED", TIME)}  ` : "";
  return style.dim(`${"POS".padStart(POSITION)}  ${time}${padText("EVENT", TYPE)}  ${padText("STREAM", STREAM)}  WHAT`);
}

/** An event on one line: position, type, stream and what it says, in so many columns. */
export function eventLine(
  event: LogEvent,
  { style, width }: { readonly style: Style; readonly width: number },
): string {
  const time = width >= WITH_TIME ? `${formatExactTime(event.recorded_at)}  ` : "";
  const start = [
    String(event.position).padStart(POSITION),
    `${style.dim(time)}${style.cyan(padText(fitText(event.type, TYPE), TYPE))}`,
    padText(fitText(oneLine(event.stream_id), STREAM), STREAM),
  ].join("  ");
  const left = width - (POSITION + 2 + time.length + TYPE + 2 + STREAM + 2);
  return `${start}  ${fitText(oneLine(summary(event)), left)}`.trimEnd();
}

/** What an event says, in a few words. */
function summary(event: LogEvent): string {
  if (event.erased) return "(erased)";
  const { payload } = event;
  switch (event.type) {
    case "SessionCreated":
    case "SessionImported":
      return words(event.payload.fields.source, event.payload.fields.model);
    case "SessionEnded":
      return words(event.payload.end_reason);
    case "TitleSet":
      return event.payload.title ?? "(no title)";
    case "SessionUpdated":
      return Object.keys(event.payload.fields).join(", ");
    case "SessionFlagsSet":
      return `${event.payload.value ? "" : "not "}${event.payload.flag}`;
    case "MessageAppended": {
      const { role, content, tool_calls } = event.payload.message;
      return `${words(role)}: ${words(content) || callNames(tool_calls)}`;
    }
    case "TranscriptRewritten":
      return `${event.payload.mode}, ${counted(event.payload.messages.length, "message")}`;
    case "UsageRecorded": {
      const { counters, model_row } = event.payload;
      const tokens = `${formatCount(counters.input_tokens)} in, ${formatCount(counters.output_tokens)} out`;
      return `${tokens}${model_row === null ? "" : `, ${words(model_row.model)}`}`;
    }
    case "SessionsDeleted":
      return counted(event.payload.session_ids.length, "session");
    case "RowCaptured":
      return words(event.payload.table, event.payload.operation);
    default:
      return "session_id" in payload ? "" : Object.keys(payload).join(", ");
  }
}

/** Which tools a message calls, from the stored JSON of its calls. */
function callNames(tool_calls: unknown): string {
  const names = [...words(tool_calls).matchAll(/"name": ?"([^"\\]+)"/g)].map(([, name]) => name);
  return names.length === 0 ? "" : `calls ${names.join(", ")}`;
}

function words(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === "string").join(" ");
}

/** An event as the JSON output has it: the header with the hash as hexadecimal text, then the payload. */
export function eventDocument(event: LogEvent): object {
  const { hash, payload, erased, ...header } = event;
  return { ...header, hash: Buffer.from(hash).toString("hex"), erased, payload };
}
