import { z } from "zod";
import { defineEvent } from "./definition.js";
import { key, numeric, real, textValue } from "./values.js";

const nullableText = textValue.nullable();

const usageCounters = z.strictObject({
  input_tokens: numeric,
  output_tokens: numeric,
  cache_read_tokens: numeric,
  cache_write_tokens: numeric,
  reasoning_tokens: numeric,
  api_call_count: numeric,
});

/** The six counters of a usage report: five token counts and the number of model calls. */
export type UsageCounters = z.infer<typeof usageCounters>;

export const usageRecorded = defineEvent(
  "UsageRecorded",
  "Tokens and cost of model calls were booked on a session, on a model, or on both.",
  z.strictObject({
    session_id: key,
    /** `delta` adds to the session, `absolute` sets its counters, `auxiliary` leaves the session row alone. */
    mode: z.enum(["delta", "absolute", "auxiliary"]),
    counters: usageCounters,
    /** USD. */
    estimated_cost_usd: real.nullable(),
    /** USD. */
    actual_cost_usd: real.nullable(),
    cost_status: nullableText,
    cost_source: nullableText,
    pricing_version: nullableText,
    /** Session columns to assign: the resolved first route, or NULLs that are filled. */
    route: z.strictObject({
      model: nullableText.optional(),
      billing_provider: nullableText.optional(),
      billing_base_url: nullableText.optional(),
      billing_mode: nullableText.optional(),
    }),
    /** Key of the per-model row, or null when none is touched. */
    model_row: z
      .strictObject({
        model: textValue,
        billing_provider: textValue,
        billing_base_url: textValue,
        billing_mode: textValue,
        task: textValue,
      })
      .nullable(),
    /** First and last sight of the per-model row (epoch seconds); null without one. */
    recorded_at: real.nullable(),
  }),
).done((payload) => payload.session_id);
