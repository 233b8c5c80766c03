import type { EventPayloads, EventType, UsageCounters } from "../../events/index.js";
import type { MessageFields, NewMessageRecord } from "../messages/message-record.js";

/** A message as an emitter gives it: the columns' names; id and timestamp may be left to the store. */
export interface MessageInput extends MessageFields {
  readonly id?: number | undefined;
}

/** Payloads as emitters may give them, where the store fills in the rest. */
interface CompletedInputs {
  SessionCreated: Partial<Pick<EventPayloads["SessionCreated"], "created" | "cause">> &
    Omit<EventPayloads["SessionCreated"], "created" | "cause">;
  SessionEnded: { readonly session_id: string; readonly ended_at?: number; readonly end_reason?: string | null };
  TitleSet: { readonly session_id: string; readonly title: string | null; readonly released_from?: string | null };
  SessionsDeleted: {
    readonly session_ids: readonly string[];
    readonly detached_ids?: readonly string[];
    readonly cause?: EventPayloads["SessionsDeleted"]["cause"];
    readonly through_id?: number;
  };
  MessageAppended: { readonly session_id: string; readonly message: MessageInput; readonly calls?: number };
  TranscriptRewritten: Omit<EventPayloads["TranscriptRewritten"], "messages"> & {
    /** Rows as stored. */
    readonly messages: readonly (NewMessageRecord & { readonly id: number })[];
  };
  MessageErased: Pick<EventPayloads["MessageErased"], "session_id" | "message_id">;
  UsageRecorded: {
    readonly session_id: string;
    readonly mode?: EventPayloads["UsageRecorded"]["mode"];
    readonly counters?: Partial<UsageCounters>;
    /** USD. */
    readonly estimated_cost_usd?: number | null;
    /** USD. */
    readonly actual_cost_usd?: number | null;
    readonly cost_status?: string | null;
    readonly cost_source?: string | null;
    readonly pricing_version?: string | null;
    /** What was called; resolved against the session row when `route` and `model_row` are left out. */
    readonly model?: string | null;
    readonly billing_provider?: string | null;
    readonly billing_base_url?: string | null;
    readonly billing_mode?: string | null;
    /** Auxiliary usage only: what the calls were for. */
    readonly task?: string;
    readonly route?: EventPayloads["UsageRecorded"]["route"];
    readonly model_row?: EventPayloads["UsageRecorded"]["model_row"];
    readonly recorded_at?: number | null;
  };
}

/** The payload an append takes: as in the log, or with the parts left out that the store decides. */
export type EventInput<T extends EventType> = T extends keyof CompletedInputs
  ? CompletedInputs[T] | EventPayloads[T]
  : EventPayloads[T];
