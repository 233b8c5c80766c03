import { z } from "zod";
import { defineEvent } from "./definition.js";
import { key, real, scalar, textValue } from "./values.js";

const nullableText = textValue.nullable();
const ofDelegations = (): string => "$delegations";

export const delegationDispatched = defineEvent(
  "DelegationDispatched",
  "A background delegation was handed out; a re-dispatch starts its row over.",
  z.strictObject({
    fields: z.strictObject({
      delegation_id: key,
      origin_session: textValue,
      origin_ui_session_id: textValue,
      origin_session_id: nullableText,
      parent_session_id: nullableText,
      dispatched_at: real,
      updated_at: real,
      owner_pid: scalar.nullable(),
      owner_started_at: scalar.nullable(),
      task_json: nullableText,
    }),
  }),
).done(ofDelegations);

export const delegationCompleted = defineEvent(
  "DelegationCompleted",
  "A delegation reached a terminal state; its result waits for delivery.",
  z.strictObject({
    delegation_id: key,
    state: textValue,
    completed_at: real,
    updated_at: real,
    event_json: nullableText,
    result_json: nullableText,
  }),
).done(ofDelegations);

export const delegationDeliveryChanged = defineEvent(
  "DelegationDeliveryChanged",
  "The delivery of a delegation's result was claimed, released, dropped, finished or tried.",
  z.strictObject({
    delegation_id: key,
    fields: z.strictObject({
      delivery_state: textValue.optional(),
      delivery_claim: nullableText.optional(),
      delivery_claimed_at: real.nullable().optional(),
      delivery_attempts: scalar.optional(),
      delivered_at: real.nullable().optional(),
      updated_at: real,
    }),
  }),
).done(ofDelegations);

export const delegationsRemoved = defineEvent(
  "DelegationsRemoved",
  "Delegation rows were removed.",
  z.strictObject({ delegation_ids: z.array(key).min(1) }),
).done(ofDelegations);
