import { z } from "zod";
import { defineEvent } from "./definition.js";
import { count, key, real, scalar, textValue } from "./values.js";

const textColumn = textValue.optional();

/** A message row as stored. NULL columns are left out; `active` 1 and `compacted` 0 are implied. */
export const messageRecord = z.strictObject({
  id: count,
  role: textValue,
  timestamp: real,
  content: textColumn,
  tool_call_id: textColumn,
  tool_calls: textColumn,
  tool_name: textColumn,
  effect_disposition: textColumn,
  token_count: scalar.optional(),
  finish_reason: textColumn,
  reasoning: textColumn,
  reasoning_content: textColumn,
  reasoning_details: textColumn,
  codex_reasoning_items: textColumn,
  codex_message_items: textColumn,
  platform_message_id: textColumn,
  observed: z.literal(1).optional(),
  api_content: textColumn,
  display_kind: textColumn,
  display_metadata: textColumn,
});

/** A message row as stored, with its id. See {@link messageRecord}. */
export type MessageRecord = z.infer<typeof messageRecord>;

/**
 * A message row that moves as it stands, out of an import or out of an event that is erased: with its flags where they
 * are not the usual ones.
 */
export const keptMessage = messageRecord.extend({
  observed: scalar.nullable().optional(),
  /** 1 where it is left out. */
  active: scalar.optional(),
  /** 0 where it is left out. */
  compacted: scalar.optional(),
});

/** A message row that moves as it stands. See {@link keptMessage}. */
export type KeptMessage = z.infer<typeof keptMessage>;

const ofSession = (payload: { session_id: string }): string => payload.session_id;

export const messageAppended = defineEvent(
  "MessageAppended",
  "A message was added at the end of a session.",
  z.strictObject({
    session_id: key,
    message: messageRecord,
    /** What the session's tool_call_count grows by. */
    calls: count,
  }),
).done(ofSession);

export const transcriptRewritten = defineEvent(
  "TranscriptRewritten",
  "Messages of a session were replaced, compacted, cleared or seeded; both counters are set.",
  z.strictObject({
    session_id: key,
    /**
     * What becomes of the rows up to `through_id`: `all` and `clear` delete them, `active` deletes the active ones,
     * `compact` takes the active ones out of the live context, `seed` leaves them.
     */
    mode: z.enum(["all", "active", "compact", "clear", "seed"]),
    /** The highest message id given out before this event. */
    through_id: count,
    messages: z.array(keptMessage),
    message_count: count,
    tool_call_count: count,
  }),
).done(ofSession);

export const messagesRewound = defineEvent(
  "MessagesRewound",
  "The active messages of a range left the live context; the session's rewind_count grew by one.",
  z.strictObject({ session_id: key, from_id: count, through_id: count }),
).done(ofSession);

export const messagesRestored = defineEvent(
  "MessagesRestored",
  "The inactive messages of a range are active again.",
  z.strictObject({ session_id: key, from_id: count, through_id: count }),
).done(ofSession);

export const messageAnnotated = defineEvent(
  "MessageAnnotated",
  "Presentation or wire text of one message was set.",
  z.strictObject({
    session_id: key,
    message_id: count,
    fields: z.strictObject({
      display_kind: textValue.nullable().optional(),
      display_metadata: textValue.nullable().optional(),
      api_content: textValue.nullable().optional(),
    }),
  }),
).done(ofSession);

export const messageErased = defineEvent(
  "MessageErased",
  "The content of one message was erased; its place in the session stays, marked as erased.",
  z.strictObject({
    session_id: key,
    message_id: count,
    /**
     * The rows of the session with ids from `from_id` to `through_id` are these `messages` from now on: the message
     * alone, or the whole session where an event had to be erased that held other messages too.
     */
    from_id: count,
    through_id: count,
    messages: z.array(keptMessage),
    /** As the session has them; the erased events counted. */
    message_count: scalar.nullable(),
    tool_call_count: scalar.nullable(),
  }),
).done(ofSession);
