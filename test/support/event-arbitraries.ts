import fc from "fast-check";
import { eventDefinition, type EventPayloads, type EventType, type StoredEvent } from "../../src/events/index.js";
import { foldTables, newRow, type Fields, type FoldTable } from "../../src/projections/fold/columns.js";
import type { SqlValue } from "../../src/projections/projection-sql.js";
import { storedEvent } from "./events.js";

/**
 * Histories that a log could hold: every event type, on a handful of sessions with awkward ids. References are kept
 * (a message's session exists, parents precede children, titles and bindings are unique), values are wild.
 */
export function histories(maxLength = 60): fc.Arbitrary<StoredEvent[]> {
  return fc.array(intent, { minLength: 1, maxLength }).map((intents) => {
    const history = new History();
    for (const wish of intents) steps[wish.kind](history, wish);
    return history.events;
  });
}

const SESSION_IDS = ["s1", "s2", "__proto__", "constructor", "", "日本😀", "\uffee", "a\u0000b"];

interface Intent {
  readonly kind: keyof typeof steps;
  readonly id: string;
  readonly other: string;
  readonly pick: number;
  readonly mask: number;
  readonly text: string | Uint8Array<ArrayBuffer>;
  readonly time: number;
  readonly cost: number;
  readonly counter: number | bigint;
}

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  fc.constantFrom("12", " 1.50 ", "", "9223372036854775807", "abc"),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => new Uint8Array(bytes)),
);
const counter = fc.oneof(
  fc.integer({ min: -1000, max: 1_000_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.constantFrom(-0, 1e18, 2 ** 62, 2 ** 53),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
);

class History {
  readonly events: StoredEvent[] = [];
  readonly sessions = new Map<string, { parent: string | null; used: boolean }>();
  readonly messages = new Map<number, string>();
  /** Topic `chat/thread` by session. */
  readonly bindings = new Map<string, string>();
  /** Title by session. */
  readonly titles = new Map<string, string>();
  readonly meta = new Set<string>();
  /** Keys of rows that only captured events touch. */
  readonly captured = new Set<string>();
  readonly versions = new Map<string, number>();
  lastId = 0;

  add<T extends EventType>(type: T, payload: EventPayloads[T]): void {
    const stream = eventDefinition(type).streamOf(payload);
    const stream_version = (this.versions.get(stream) ?? 0) + 1;
    this.versions.set(stream, stream_version);
    const event = storedEvent<EventType>(type, payload, { position: this.events.length + 1, stream_version });
    this.events.push(event);
  }

  /** The wanted session if it exists, else one that does, made if there is none. */
  existing(wish: Intent): string {
    if (this.sessions.has(wish.id)) return wish.id;
    const known = [...this.sessions.keys()];
    const found = known[wish.pick % Math.max(known.length, 1)];
    if (found !== undefined) return found;
    steps.create(this, wish);
    return wish.id;
  }

  message(wish: Intent): EventPayloads["MessageAppended"]["message"] {
    this.lastId += 1 + (wish.mask % 7 === 0 ? 2000 : 0);
    return {
      id: this.lastId,
      role: wish.pick % 2 === 0 ? "user" : wish.text,
      timestamp: wish.time,
      ...(wish.mask & 1 ? { content: wish.text } : {}),
      ...(wish.mask & 2 ? { token_count: wish.counter } : {}),
      ...(wish.mask & 4 ? { observed: 1 as const } : {}),
      ...(wish.mask & 8 ? { tool_calls: "[]", tool_name: wish.text } : {}),
    };
  }

  /** The first capture of a row is its insert. */
  operationOn(row: string): "insert" | "update" {
    if (this.captured.has(row)) return "update";
    this.captured.add(row);
    return "insert";
  }

  forget(id: string): void {
    this.captured.delete(`usage ${id}`);
    this.sessions.delete(id);
    this.bindings.delete(id);
    this.titles.delete(id);
    for (const [message, session] of this.messages) if (session === id) this.messages.delete(message);
  }

  childrenOf(ids: readonly string[]): string[] {
    return [...this.sessions].filter(([, row]) => row.parent !== null && ids.includes(row.parent)).map(([id]) => id);
  }
}

const steps = {
  create(history: History, wish: Intent): void {
    const { id, other } = wish;
    if (history.sessions.has(id)) {
      const fields = { model: wish.text, cwd: null };
      history.add("SessionCreated", { session_id: id, created: false, fields, cause: "create" });
      return;
    }
    const parent = history.sessions.has(other) ? other : null;
    const fields = { source: wish.text, started_at: wish.time, parent_session_id: parent };
    history.sessions.set(id, { parent, used: false });
    if (wish.mask & 1) {
      history.add("SessionImported", {
        session_id: id,
        fields: { ...fields, input_tokens: wish.counter, message_count: wish.mask & 2 ? null : 4, rewind_count: "7" },
      });
    } else {
      history.add("SessionCreated", { session_id: id, created: true, fields, cause: "create" });
    }
  },
  change(history: History, wish: Intent): void {
    const session_id = wish.mask & 128 ? "unknown id" : history.existing(wish);
    const { time, text: value } = wish;
    switch (wish.pick % 8) {
      case 0:
        return history.add("SessionEnded", { session_id, ended_at: time, end_reason: wish.mask & 1 ? value : null });
      case 1:
        return history.add("SessionReopened", { session_id });
      case 2: {
        const fields = { system_prompt: value, git_branch: null, source: value };
        return history.add("SessionUpdated", { session_id, fields, cause: "test" });
      }
      case 3: {
        const at = wish.mask & 1 ? time : null;
        return history.add("ActivityRecorded", { session_id, at, description: "", provenance: "unknown" });
      }
      case 4: {
        const flag = (["archived", "pinned", "expiry_finalized"] as const)[wish.mask % 3] ?? "pinned";
        return history.add("SessionFlagsSet", { session_id, flag, value: wish.counter > 0 });
      }
      case 5: {
        const fields = { session_key: value, source: "telegram", user_id: null, chat_id: value };
        return history.add("GatewayPeerRecorded", { session_id, fields });
      }
      case 6: {
        const fields = wish.mask & 1 ? { handoff_platform: value, handoff_error: null } : {};
        return history.add("HandoffChanged", { session_id, state: "pending", fields });
      }
      default: {
        const fields = { compression_failure_cooldown_until: time, compression_fallback_streak: wish.counter };
        return history.add("CompressionStateSet", { session_id, fields });
      }
    }
  },
  title(history: History, wish: Intent): void {
    const session_id = history.existing(wish);
    const { other } = wish;
    const taken = wish.mask & 1 && other !== session_id ? history.titles.get(other) : undefined;
    const fresh = wish.mask & 2 ? null : `title ${history.events.length}`;
    const title = taken ?? fresh;
    const released_from = taken === undefined ? null : other;
    if (released_from !== null) history.titles.delete(released_from);
    if (title === null) history.titles.delete(session_id);
    else history.titles.set(session_id, title);
    if (released_from !== null) {
      history.add("TitleSet", { session_id: released_from, title: null, released_from: null });
    }
    history.add("TitleSet", { session_id, title, released_from });
  },
  remove(history: History, wish: Intent): void {
    const session_ids = [...new Set([wish.id, wish.other])].filter((id) => history.sessions.has(id));
    if (session_ids.length === 0) return;
    const detached_ids = history.childrenOf(session_ids).filter((id) => !session_ids.includes(id));
    for (const id of session_ids) history.forget(id);
    for (const id of detached_ids) history.sessions.set(id, { parent: null, used: true });
    history.add("SessionsDeleted", { session_ids, detached_ids, cause: "bulk", through_id: history.lastId });
  },
  append(history: History, wish: Intent): void {
    const session_id = history.existing(wish);
    const message = history.message(wish);
    history.messages.set(message.id, session_id);
    history.add("MessageAppended", { session_id, message, calls: wish.pick % 3 });
  },
  rewrite(history: History, wish: Intent): void {
    const session_id = history.existing(wish);
    const mode = (["all", "active", "compact", "clear", "seed"] as const)[wish.pick % 5] ?? "all";
    const through_id = history.lastId;
    if (mode === "active") {
      // Which of its rows are left is not followed here, so its messages and its row are not captured any more.
      const known = history.sessions.get(session_id);
      if (known !== undefined) known.used = true;
    }
    if (mode === "all" || mode === "clear" || mode === "active") {
      for (const [id, session] of history.messages) if (session === session_id) history.messages.delete(id);
    }
    const messages = mode === "clear" ? [] : Array.from({ length: wish.mask % 3 }, () => history.message(wish));
    for (const { id } of messages) history.messages.set(id, session_id);
    const counts = { message_count: messages.length, tool_call_count: wish.pick };
    history.add("TranscriptRewritten", { session_id, mode, through_id, messages, ...counts });
  },
  rewind(history: History, wish: Intent): void {
    const range = { from_id: wish.pick % (history.lastId + 1), through_id: history.lastId };
    const type = wish.mask & 1 ? "MessagesRewound" : "MessagesRestored";
    history.add(type, { session_id: history.existing(wish), ...range });
  },
  annotate(history: History, wish: Intent): void {
    const known = [...history.messages];
    const [message_id, session_id] = known[wish.pick % Math.max(known.length, 1)] ?? [99, "unknown id"];
    const fields = { display_kind: wish.text, ...(wish.mask & 1 ? { display_metadata: null } : {}) };
    history.add("MessageAnnotated", { session_id: wish.mask & 64 ? wish.other : session_id, message_id, fields });
  },
  erase(history: History, wish: Intent): void {
    const known = [...history.messages];
    const [message_id, session_id] = known[wish.pick % Math.max(known.length, 1)] ?? [99, "unknown id"];
    const erased = { role: "user", timestamp: wish.time, content: "[erased]", display_kind: "erased" };
    const flags = wish.mask & 1 ? { active: 0, compacted: wish.counter, observed: null } : {};
    const counters = { message_count: wish.mask & 2 ? null : wish.counter, tool_call_count: wish.pick };
    const alone = (wish.mask & 4) !== 0 || session_id === "unknown id";
    const others = known.filter(([id, session]) => session === session_id && id !== message_id).slice(wish.pick % 3);
    if (!alone) {
      for (const [id, session] of known) if (session === session_id) history.messages.delete(id);
      for (const [id] of [...others, [message_id] as const]) history.messages.set(id, session_id);
    }
    history.add("MessageErased", {
      session_id,
      message_id,
      ...(alone ? { from_id: message_id, through_id: message_id } : { from_id: 0, through_id: history.lastId }),
      messages:
        session_id === "unknown id"
          ? []
          : [
              { id: message_id, ...erased, ...flags },
              ...(alone
                ? []
                : others.map(([id]) => ({ id, role: wish.text, timestamp: wish.time, content: wish.text }))),
            ],
      ...counters,
    });
  },
  usage(history: History, wish: Intent): void {
    const session_id = history.existing(wish);
    const mode = (["delta", "absolute", "auxiliary"] as const)[wish.pick % 3] ?? "delta";
    const model = wish.mask & 1 ? "m" : wish.text;
    const route = { model, billing_provider: "p", billing_base_url: "", billing_mode: "" };
    const known = history.sessions.get(session_id);
    if (known !== undefined && mode !== "absolute") known.used = true;
    history.add("UsageRecorded", {
      session_id,
      mode,
      counters: {
        input_tokens: wish.counter,
        output_tokens: wish.pick,
        cache_read_tokens: 0,
        cache_write_tokens: -wish.pick,
        reasoning_tokens: wish.cost,
        api_call_count: 1,
      },
      estimated_cost_usd: wish.mask & 2 ? wish.cost : null,
      actual_cost_usd: wish.mask & 4 ? wish.cost : null,
      cost_status: wish.mask & 8 ? wish.text : null,
      cost_source: wish.mask & 16 ? "table" : null,
      pricing_version: wish.mask & 32 ? wish.text : null,
      route: wish.mask & 64 ? { model, billing_mode: null } : {},
      model_row: mode === "absolute" ? null : { ...route, task: mode === "auxiliary" ? "vision" : "" },
      recorded_at: mode === "absolute" ? null : wish.time,
    });
  },
  coordinate(history: History, wish: Intent): void {
    const { id, other, time } = wish;
    if (wish.pick % 3 === 0) {
      history.add("GatewayRoutesChanged", {
        scope: wish.mask & 1 ? "" : "scope",
        replace_all: (wish.mask & 2) !== 0,
        removed: wish.mask & 4 ? [other] : [],
        entries: wish.mask & 8 ? [] : [[id, wish.text]],
        updated_at: time,
      });
    } else if (wish.pick % 3 === 1) {
      const taken = { holder: wish.text, acquired_at: time, expires_at: time };
      const lock = wish.mask & 1 ? taken : { holder: null, acquired_at: null, expires_at: null };
      history.add("CompressionLockChanged", { session_id: id, ...lock });
    } else {
      history.meta.add(id);
      history.add("MetaSet", { key: id, value: wish.mask & 1 ? wish.text : null });
    }
  },
  delegate(history: History, wish: Intent): void {
    const { id: delegation_id, time, text: value } = wish;
    switch (wish.pick % 5) {
      case 0:
        return history.add("DelegationsRemoved", { delegation_ids: [delegation_id, wish.other] });
      case 1: {
        const results = { event_json: value, result_json: null };
        const times = { completed_at: time, updated_at: time };
        return history.add("DelegationCompleted", { delegation_id, state: "completed", ...times, ...results });
      }
      case 2: {
        const claim = wish.mask & 1 ? { delivery_claim: value, delivery_claimed_at: time } : { delivery_claim: null };
        const fields = { ...claim, delivery_attempts: wish.pick, updated_at: time };
        return history.add("DelegationDeliveryChanged", { delegation_id, fields });
      }
      default: {
        const owner = { owner_pid: wish.pick, owner_started_at: wish.mask & 1 ? wish.counter : null };
        const origin = { origin_session: value, origin_ui_session_id: "", origin_session_id: value };
        const times = { dispatched_at: time, updated_at: time };
        return history.add("DelegationDispatched", {
          fields: { delegation_id, ...origin, parent_session_id: null, ...times, ...owner, task_json: value },
        });
      }
    }
  },
  telegram(history: History, wish: Intent): void {
    const chat_id = wish.mask & 1 ? "c1" : wish.other;
    const thread_id = wish.mask & 2 ? "1" : "2";
    const topic = `${chat_id}/${thread_id}`;
    const unbind = (): void => {
      for (const [session, bound] of history.bindings) if (bound === topic) history.bindings.delete(session);
    };
    if (wish.pick % 3 === 0) {
      const enabled = wish.mask & 4 ? 1 : 0;
      const fields = { user_id: wish.text, enabled, activated_at: wish.time, updated_at: wish.time } as const;
      history.add("TelegramTopicModeSet", { chat_id, fields: { ...fields, has_topics_enabled: wish.counter } });
    } else if (wish.pick % 3 === 1) {
      unbind();
      history.add("TelegramTopicUnbound", { chat_id, thread_ids: [thread_id] });
    } else {
      const session_id = history.existing(wish);
      const bound = history.bindings.get(session_id);
      if (bound !== undefined && bound !== topic) return;
      unbind();
      history.bindings.set(session_id, topic);
      const keys = { chat_id, thread_id, user_id: "u", session_key: wish.text, session_id };
      const times = { linked_at: wish.time, updated_at: wish.cost };
      history.add("TelegramTopicBound", { ...keys, managed_mode: "auto", ...times });
    }
  },
  capture(history: History, wish: Intent): void {
    switch (wish.pick % 6) {
      case 0:
        return captureMessage(history, wish);
      case 1: {
        const [id] = [...history.messages.keys()];
        if (id === undefined) return;
        history.messages.delete(id);
        return history.add("RowCaptured", { table: "messages", operation: "delete", key: { id }, values: null });
      }
      case 2:
        return captureSession(history, wish);
      case 3: {
        const key = { key: wish.id };
        const operation = !history.meta.has(wish.id) ? "insert" : wish.mask & 1 ? "update" : "delete";
        if (operation === "delete") history.meta.delete(wish.id);
        else history.meta.add(wish.id);
        const values = operation === "delete" ? null : { ...key, value: wish.text };
        return history.add("RowCaptured", { table: "state_meta", operation, key, values });
      }
      case 4: {
        const key = { scope: "captured", session_key: wish.id };
        const values = { ...key, entry_json: wish.text, updated_at: wish.time };
        const operation = history.operationOn(`route ${wish.id}`);
        return history.add("RowCaptured", { table: "gateway_routing", operation, key, values });
      }
      default: {
        const session_id = history.existing(wish);
        const known = history.sessions.get(session_id);
        if (known !== undefined) known.used = true;
        const route = { model: "captured", billing_provider: "", billing_base_url: "", billing_mode: "", task: "" };
        const key = { session_id, ...route };
        const changed = { input_tokens: wish.counter, estimated_cost_usd: wish.cost, last_seen: null };
        const values = allColumns(foldTables.session_model_usage, { ...key, ...changed });
        const operation = history.operationOn(`usage ${session_id}`);
        return history.add("RowCaptured", { table: "session_model_usage", operation, key, values });
      }
    }
  },
};

/** A whole row, as a capture has it. */
function allColumns(table: FoldTable, fields: Fields): NonNullable<EventPayloads["RowCaptured"]["values"]> {
  const plain = (value: SqlValue) => (value instanceof Uint8Array ? new Uint8Array(value) : value);
  return Object.fromEntries(Object.entries(newRow(table, fields)).map(([column, value]) => [column, plain(value)]));
}

function captureMessage(history: History, wish: Intent): void {
  const session_id = history.existing(wish);
  const known = [...history.messages.keys()][0];
  const moved = wish.mask & 1 ? known : undefined;
  const id = moved ?? history.lastId + 5;
  history.lastId = Math.max(history.lastId, id);
  history.messages.set(id, session_id);
  const changed = { role: wish.text, content: wish.text, timestamp: wish.time, active: 0, compacted: 1 };
  const values = allColumns(foldTables.messages, { id, session_id, ...changed });
  const operation = moved === undefined ? "insert" : "update";
  history.add("RowCaptured", { table: "messages", operation, key: { id }, values });
}

function captureSession(history: History, wish: Intent): void {
  const { id } = wish;
  const known = history.sessions.get(id);
  const bare = ![...history.messages.values()].includes(id) && !history.bindings.has(id);
  if (known !== undefined && !known.used && bare && history.childrenOf([id]).length === 0 && wish.mask & 1) {
    history.forget(id);
    history.add("RowCaptured", { table: "sessions", operation: "delete", key: { id }, values: null });
    return;
  }
  history.sessions.set(id, { parent: null, used: known?.used ?? false });
  history.titles.delete(id);
  const changed = { source: "tui", started_at: wish.time, input_tokens: wish.counter, model: wish.text, archived: 1 };
  const values = allColumns(foldTables.sessions, { id, ...changed });
  const operation = known === undefined ? "insert" : "update";
  history.add("RowCaptured", { table: "sessions", operation, key: { id }, values });
}

const intent: fc.Arbitrary<Intent> = fc.record({
  kind: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[]), "append" as const, "append" as const),
  id: fc.constantFrom(...SESSION_IDS),
  other: fc.constantFrom(...SESSION_IDS),
  pick: fc.nat(1000),
  mask: fc.nat(255),
  text,
  time: fc.double({ noNaN: true }),
  cost: fc.double({ noNaN: true, noDefaultInfinity: true }),
  counter,
});
