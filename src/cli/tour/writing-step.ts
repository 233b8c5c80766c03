import type { SessionDB } from "../../store/session-db.js";
import { counted, formatCount } from "../output/numbers.js";
import { renderTable } from "../output/table.js";
import { sampleEvents } from "./sample-events.js";
import { readSamples } from "./samples.js";
import { heading, indented, paragraph, type SceneLayout, type StepResult } from "./scene.js";
import { sampleFacts } from "./story.data.js";

const MEANING: Readonly<Record<string, string>> = {
  SessionCreated: "a conversation began",
  TitleSet: "it got a title",
  MessageAppended: "somebody said something, or a tool answered",
  UsageRecorded: "a model was used: tokens and cost",
  SessionEnded: "the conversation ended, and why",
};

/** Emits the sample conversations as typed events. */
export function writingStep(db: SessionDB, layout: SceneLayout): StepResult {
  const samples = readSamples();
  const started = performance.now();
  // Each conversation is a batch: it comes in whole or not at all.
  for (const sample of samples) db.log.append(sampleEvents(sample, sampleFacts[sample.id] ?? { usage: [] }));
  const milliseconds = performance.now() - started;
  const types = new Map<string, number>();
  for (const { type } of db.log.read()) types.set(type, (types.get(type) ?? 0) + 1);
  const { position: events } = db.log.head();
  const messages = db.messageCount();
  const said = samples.flatMap((sample) => sample.messages);
  // A leading system message is the prompt of its session, not a row of its own.
  const prompts = samples.filter((sample) => sample.messages[0]?.role === "system").length;
  const table = renderTable(
    [
      { head: "EVENT", cell: ([type]) => type, paint: layout.style.cyan },
      { head: "TIMES", cell: ([, times]) => formatCount(times), right: true },
      { head: "WHAT IT SAYS", cell: ([type]) => MEANING[type] ?? "" },
    ],
    [...types],
    { ...layout, width: layout.width - 3 },
  );
  return {
    name: "write",
    passed: messages === said.length - prompts && db.sessionIds().length === samples.length,
    document: { events, sessions: samples.length, messages, milliseconds, types: Object.fromEntries(types) },
    text: [
      layout.style.bold("hermes-ledger: a tour"),
      "",
      paragraph(
        `Hermes agents keep their conversations in one file, state.db. hermes-ledger writes down in that file what happens,
        as a log of events, and makes the tables that Hermes reads from the log. Whatever the tables hold can be explained
        and made again. Here is how that looks.`,
        layout,
      ),
      "",
      heading(1, "What happens becomes events", layout),
      "",
      paragraph(
        `${counted(samples.length, "sample conversation")} were just emitted as ${counted(events, "event")}, in
        ${milliseconds.toFixed(0)} ms. Each event was checked, chained to the one before by its hash, and turned into rows
        in the same transaction.`,
        layout,
      ),
      "",
      indented(table),
    ].join("\n"),
  };
}
