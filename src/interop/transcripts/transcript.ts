import { z } from "zod";

const finite = z.number();

const toolCall = z.looseObject({});

const message = z.strictObject({
  role: z.string().min(1),
  content: z.string().nullable(),
  tool_calls: z.array(toolCall).optional(),
  tool_call_id: z.string().optional(),
  tool_name: z.string().optional(),
  timestamp: finite,
  finish_reason: z.string().optional(),
  reasoning: z.string().optional(),
  token_count: z.int().optional(),
});

/**
 * A session in the uniform transcript form, one a line: times are epoch seconds, `content` is text or null, keys with
 * nothing to say are left out. A leading `system` message is the session's system prompt.
 */
export const transcript = z.strictObject({
  id: z.string().min(1),
  source: z.string().min(1),
  model: z.string().nullable(),
  title: z.string().nullable(),
  started_at: finite,
  messages: z.array(message),
});

/** A session in the uniform transcript form. */
export type Transcript = z.infer<typeof transcript>;

/** A message of a transcript. */
export type TranscriptMessage = Transcript["messages"][number];
