import { z } from "zod";
import { defineEvent } from "./definition.js";
import { sessionFields } from "./session-fields.js";
import { count, key, real, scalar, text, textValue } from "./values.js";

/** The stream of events that concern several sessions and must outlive them. */
export const SESSIONS_STREAM = "$sessions";

const ofSession = (payload: { session_id: string }): string => payload.session_id;
const createdBy = z.enum(["create", "usage", "publish", "api"]);

export const sessionCreated = defineEvent(
  "SessionCreated",
  "A session row came into being, or a later create filled columns that were still empty.",
  z.strictObject({
    session_id: key,
    /** True: the row is new. False: the listed columns of the existing row are set. */
    created: z.boolean(),
    fields: sessionFields,
    cause: createdBy,
    /** When the system prompt was said (epoch seconds), where a transcript tells; no column holds it. */
    system_prompt_at: real.optional(),
  }),
).done(ofSession);

export const sessionEnded = defineEvent(
  "SessionEnded",
  "A session ended; the first end wins.",
  z.strictObject({ session_id: key, ended_at: real, end_reason: textValue.nullable() }),
).done(ofSession);

export const sessionReopened = defineEvent(
  "SessionReopened",
  "An ended session is live again.",
  z.strictObject({ session_id: key }),
).done(ofSession);

export const titleSet = defineEvent(
  "TitleSet",
  "A session got a title, or lost it (null).",
  z.strictObject({
    session_id: key,
    title: text.nullable(),
    /** The compression ancestor that gave the title up; its own TitleSet(null) precedes this event. */
    released_from: key.nullable(),
  }),
).done(ofSession);

export const sessionUpdated = defineEvent(
  "SessionUpdated",
  "Columns of a session were set: prompt, model, route, directory, source or parent.",
  z.strictObject({
    session_id: key,
    fields: sessionFields.pick({
      system_prompt: true,
      model: true,
      model_config: true,
      billing_provider: true,
      billing_base_url: true,
      billing_mode: true,
      cwd: true,
      git_branch: true,
      git_repo_root: true,
      source: true,
      parent_session_id: true,
    }),
    cause: text,
  }),
).done(ofSession);

export const activityRecorded = defineEvent(
  "ActivityRecorded",
  "The heartbeat of a running turn moved on, or its labels were cleared.",
  z.strictObject({ session_id: key, at: real.nullable(), description: text, provenance: text }),
).done(ofSession);

export const sessionFlagsSet = defineEvent(
  "SessionFlagsSet",
  "A session was archived, pinned or finalised, or the reverse. One event per session of the lineage.",
  z.strictObject({
    session_id: key,
    flag: z.enum(["archived", "pinned", "expiry_finalized"]),
    value: z.boolean(),
  }),
).done(ofSession);

export const gatewayPeerRecorded = defineEvent(
  "GatewayPeerRecorded",
  "The messaging peer of a session was recorded. One event per session of the lineage.",
  z.strictObject({
    session_id: key,
    fields: sessionFields.pick({
      session_key: true,
      source: true,
      user_id: true,
      chat_id: true,
      chat_type: true,
      thread_id: true,
      display_name: true,
      origin_json: true,
    }),
  }),
).done(ofSession);

export const handoffChanged = defineEvent(
  "HandoffChanged",
  "A hand-off to another platform moved to another state.",
  z.strictObject({
    session_id: key,
    state: text,
    fields: sessionFields.pick({ handoff_platform: true, handoff_error: true }),
  }),
).done(ofSession);

export const compressionStateSet = defineEvent(
  "CompressionStateSet",
  "The compressor's cooldown or its counters changed.",
  z.strictObject({
    session_id: key,
    fields: sessionFields
      .pick({ compression_failure_cooldown_until: true, compression_failure_error: true })
      .extend({ compression_fallback_streak: scalar.optional(), compression_ineffective_count: scalar.optional() }),
  }),
).done(ofSession);

export const sessionsDeleted = defineEvent(
  "SessionsDeleted",
  "Sessions are gone with their messages, usage and bindings; their events are erased in the same transaction.",
  z.strictObject({
    session_ids: z.array(key).min(1),
    /** Children that lost their parent. */
    detached_ids: z.array(key),
    cause: z.enum(["delete", "bulk", "if_empty", "empty", "ghost", "prune"]),
    /** The highest message id ever given out; ids of deleted messages are not given out again. */
    through_id: count,
  }),
).done(() => SESSIONS_STREAM);

export const sessionImported = defineEvent(
  "SessionImported",
  "A session came from an export; its messages follow as TranscriptRewritten(seed).",
  z.strictObject({ session_id: key, fields: sessionFields }),
).done(ofSession);
