import { z } from "zod";
import { eventDefinition, InvalidEventError, type EventType } from "../../events/index.js";
import { messageRecord } from "../../events/message-events.js";
import { key } from "../../events/values.js";
import { validateAs } from "../../events/reading.js";

/** Any value, or none: the schema of the event looks at it once the payload is complete. */
const anything = z.unknown().optional();

function keys(names: readonly string[]): Record<string, typeof anything> {
  return Object.fromEntries(names.map((name) => [name, anything]));
}

/**
 * What may be given of the payloads that the store completes. Their schemas see only what came out, so a misspelt name
 * would be dropped in silence, and what has no form at all could not be completed.
 */
const forms = new Map<string, z.ZodType>(
  Object.entries({
    SessionCreated: z.strictObject({
      session_id: key,
      fields: z.looseObject({}),
      ...keys(["created", "cause", "system_prompt_at"]),
    }),
    SessionEnded: z.strictObject({ session_id: key, ...keys(["ended_at", "end_reason"]) }),
    TitleSet: z.strictObject({ session_id: key, ...keys(["title", "released_from"]) }),
    SessionsDeleted: z.strictObject({ session_ids: z.array(key), ...keys(["detached_ids", "cause", "through_id"]) }),
    MessageAppended: z.strictObject({
      session_id: key,
      message: z.strictObject(keys(Object.keys(messageRecord.shape))),
      calls: anything,
    }),
    UsageRecorded: z.strictObject({
      session_id: key,
      counters: z
        .strictObject(
          keys([
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "reasoning_tokens",
            "api_call_count",
          ]),
        )
        .optional(),
      ...keys(["mode", "estimated_cost_usd", "actual_cost_usd", "cost_status", "cost_source", "pricing_version"]),
      ...keys(["model", "billing_provider", "billing_base_url", "billing_mode", "task"]),
      ...keys(["route", "model_row", "recorded_at"]),
    }),
  } satisfies Partial<Record<EventType, z.ZodType>>),
);

const anyObject = z.looseObject({});

/**
 * Throws unless a draft is an event of a known type whose payload has a form that can be completed.
 *
 * @throws UnknownEventTypeError, InvalidEventError
 */
export function requireForm(draft: unknown): void {
  if (typeof draft !== "object" || draft === null || !("type" in draft)) {
    throw new InvalidEventError("(none)", [
      { path: "type", message: "an event is an object with a type and a payload" },
    ]);
  }
  const { type, payload } = { payload: undefined, ...draft };
  // An unknown type must be told as such, before anything else is looked at.
  const definition = eventDefinition(String(type));
  const form = forms.get(definition.type) ?? anyObject;
  validateAs(definition.type, form, payload);
}
