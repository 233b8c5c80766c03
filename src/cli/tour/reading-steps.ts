import type { SessionDB } from "../../store/session-db.js";
import { hitText } from "../commands/search.js";
import { sessionsTable } from "../commands/sessions/list.js";
import { usageTable } from "../commands/sessions/stats.js";
import { eventDocument, eventHeads, eventLine } from "../output/event.js";
import { counted } from "../output/numbers.js";
import { messageText } from "../output/transcript.js";
import { heading, indented, paragraph, type SceneLayout, type StepResult } from "./scene.js";

const inside = (layout: SceneLayout): SceneLayout => ({ ...layout, width: layout.width - 3 });

/** The sessions table. */
export function sessionsStep(db: SessionDB, layout: SceneLayout): StepResult {
  const sessions = db.listSessionsRich({ order_by_last_active: true, compact_rows: true });
  const all = db.sessionIds().length;
  return {
    name: "sessions",
    // Listed are conversations: the delegate is hidden, and of the compressed one only its newest part is shown.
    passed: sessions.length === all - 2,
    document: { sessions },
    text: [
      heading(2, "The list of conversations", layout),
      "",
      paragraph(
        `Of the ${counted(all, "session")}, one is a delegate that worked for another and is not listed by itself. One
        conversation grew too long and was compressed: it goes on in a second session, and both are one line here.`,
        layout,
      ),
      "",
      indented(sessionsTable(inside(layout), sessions)),
    ].join("\n"),
  };
}

const SHOWN_SESSION = "20260113_203108_e0b7aa";
const SHOWN_MESSAGES = 5;

/** The beginning of one conversation. */
export function transcriptStep(db: SessionDB, layout: SceneLayout): StepResult {
  const messages = db.getMessages(SHOWN_SESSION, { limit: SHOWN_MESSAGES });
  const transcript = messages.map((message) => messageText(message, { ...inside(layout), toolLines: 4 })).join("\n\n");
  return {
    name: "transcript",
    passed: messages.length === SHOWN_MESSAGES,
    document: { session_id: SHOWN_SESSION, messages },
    text: [
      heading(3, "A conversation", layout),
      "",
      paragraph(
        `This is how one begins, with a call of a tool and its answer. In Chinese: how to back up the photos of an old
        computer every night.`,
        layout,
      ),
      "",
      indented(transcript),
    ].join("\n"),
  };
}

const QUERIES = ["last ferry", "定时备份"] as const;

/** A search in English and one in Chinese. */
export function searchStep(db: SessionDB, layout: SceneLayout): StepResult {
  const answers = QUERIES.map((query) => ({ query, ...db.search(query, { limit: 2 }) }));
  const texts = answers.map(({ query, hits, total }) => {
    const found = hits.map((hit) => hitText(inside(layout), db, query, hit)).join("\n\n");
    return `${layout.style.cyan(`search ${query}`)}  ${layout.style.dim(counted(total, "message"))}\n\n${indented(found)}`;
  });
  return {
    name: "search",
    passed: answers.every(({ hits }) => hits.length > 0),
    document: { answers },
    text: [
      heading(4, "Search, also where words have no spaces", layout),
      "",
      paragraph("Full-text indexes follow every event. These are the best two hits of two searches.", layout),
      "",
      texts.join("\n\n"),
    ].join("\n"),
  };
}

/** Usage by model. */
export function usageStep(db: SessionDB, layout: SceneLayout): StepResult {
  const by_model = db.usageByModel();
  return {
    name: "usage",
    passed: by_model.length > 1,
    document: { by_model },
    text: [
      heading(5, "What the models cost", layout),
      "",
      paragraph(
        "Tokens and cost are booked on the model that caused them, side jobs such as making a title or a summary too.",
        layout,
      ),
      "",
      indented(usageTable(inside(layout), by_model)),
    ].join("\n"),
  };
}

const LAST = 7;

/** The newest events of the log. */
export function logStep(db: SessionDB, layout: SceneLayout): StepResult {
  const events = [...db.log.read({ reverse: true, limit: LAST })].reverse();
  return {
    name: "log",
    passed: events.length === LAST,
    document: { events: events.map(eventDocument), head: db.log.head() },
    text: [
      heading(6, "The log itself", layout),
      "",
      paragraph(
        `The newest events: each has a place in the log and belongs to a stream, mostly a session. Events are only added;
        deleting a conversation erases what its events said, not that they were.`,
        layout,
      ),
      "",
      [eventHeads(layout), ...events.map((event) => eventLine(event, layout))].join("\n"),
    ].join("\n"),
  };
}
