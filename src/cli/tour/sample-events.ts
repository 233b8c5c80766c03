import type { Transcript } from "../../interop/transcripts/transcript.js";
import type { EventDraft } from "../../store/write-transaction.js";
import type { SampleFacts, SampleUsage } from "./story.data.js";

/** A sample session as the events an agent would have emitted: created, titled, message by message, charged, ended. */
export function sampleEvents(sample: Transcript, facts: SampleFacts): EventDraft[] {
  const session_id = sample.id;
  const [first] = sample.messages;
  const prompt = first?.role === "system" ? first : undefined;
  const messages = prompt === undefined ? sample.messages : sample.messages.slice(1);
  const drafts: EventDraft[] = [
    {
      type: "SessionCreated",
      payload: {
        session_id,
        fields: {
          source: sample.source,
          model: sample.model,
          started_at: sample.started_at,
          ...(prompt === undefined ? {} : { system_prompt: prompt.content }),
          ...(facts.cwd === undefined ? {} : { cwd: facts.cwd }),
          ...parentFields(facts),
        },
        ...(prompt === undefined ? {} : { system_prompt_at: prompt.timestamp }),
      },
    },
  ];
  if (sample.title !== null) drafts.push({ type: "TitleSet", payload: { session_id, title: sample.title } });
  for (const message of messages) drafts.push({ type: "MessageAppended", payload: { session_id, message } });
  for (const usage of facts.usage) drafts.push(usageEvent(session_id, usage));
  if (facts.end_reason !== undefined) {
    const ended_at = (sample.messages.at(-1)?.timestamp ?? sample.started_at) + 1;
    drafts.push({ type: "SessionEnded", payload: { session_id, ended_at, end_reason: facts.end_reason } });
  }
  return drafts;
}

function parentFields({ parent, delegate_of }: SampleFacts): { parent_session_id?: string; model_config?: string } {
  if (delegate_of !== undefined) {
    return { parent_session_id: delegate_of, model_config: JSON.stringify({ _delegate_from: delegate_of }) };
  }
  return parent === undefined ? {} : { parent_session_id: parent };
}

function usageEvent(session_id: string, usage: SampleUsage): EventDraft<"UsageRecorded"> {
  return {
    type: "UsageRecorded",
    payload: {
      session_id,
      mode: usage.task === undefined ? "delta" : "auxiliary",
      model: usage.model,
      billing_provider: usage.provider,
      counters: {
        api_call_count: usage.calls,
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_read_tokens: usage.cached ?? 0,
      },
      estimated_cost_usd: usage.cost,
      ...(usage.task === undefined ? {} : { task: usage.task }),
    },
  };
}
