import { z } from "zod";
import { defineEvent } from "./definition.js";
import { key, real, scalar, textValue } from "./values.js";

const ofTelegram = (): string => "$telegram";

export const telegramTopicModeSet = defineEvent(
  "TelegramTopicModeSet",
  "Topic mode of a Telegram chat was switched on or off.",
  z.strictObject({
    chat_id: key,
    fields: z.strictObject({
      user_id: textValue.optional(),
      enabled: z.union([z.literal(0), z.literal(1)]),
      activated_at: real.optional(),
      updated_at: real,
      has_topics_enabled: scalar.nullable().optional(),
      allows_users_to_create_topics: scalar.nullable().optional(),
      capability_checked_at: real.nullable().optional(),
    }),
  }),
).done(ofTelegram);

export const telegramTopicBound = defineEvent(
  "TelegramTopicBound",
  "A Telegram topic was bound to a session.",
  z.strictObject({
    chat_id: key,
    thread_id: key,
    user_id: textValue,
    session_key: textValue,
    session_id: key,
    managed_mode: textValue,
    linked_at: real,
    updated_at: real,
  }),
).done(ofTelegram);

export const telegramTopicUnbound = defineEvent(
  "TelegramTopicUnbound",
  "Topics of a Telegram chat lost their session.",
  z.strictObject({ chat_id: key, thread_ids: z.array(key).min(1) }),
).done(ofTelegram);
