import type { EventPayloads } from "../../events/index.js";
import { integerColumn } from "../values/columns.js";
import { toFloat, toInt } from "../values/numbers.js";
import { tryParsePythonJson } from "../values/python-json.js";
import { isTruthy } from "../values/truthiness.js";
import { SESSION_TEXT_FIELDS, type ImportableSession } from "./import-checks.js";
import { ImportedStartError } from "./import-errors.js";

type SessionFields = EventPayloads["SessionImported"]["fields"];

const COUNTERS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "api_call_count",
] as const;

const NUMBERS = ["ended_at", "estimated_cost_usd", "actual_cost_usd"] as const;

/** Columns of JSON text: exports hold the text, the writer takes the value. */
const JSON_COLUMNS = ["reasoning_details", "codex_reasoning_items", "codex_message_items"] as const;

/**
 * What an imported session keeps of its export: texts, times, counters and whether it was archived. Routing, activity,
 * hand-off and compression state belong to the store it came from; the parent is linked later. NULLs are left out.
 *
 * @throws ImportedStartError, RangeRefusal, IntegerRangeError
 */
export function importedFields({ id, fields, model_config }: ImportableSession, now: number): SessionFields {
  const started_at = toFloat(fields["started_at"]) ?? now;
  if (Number.isNaN(started_at)) throw new ImportedStartError(id);
  const texts = SESSION_TEXT_FIELDS.filter((column) => column !== "parent_session_id").map(
    (column): [string, unknown] => [column, fields[column]],
  );
  const counters = COUNTERS.map((column): [string, unknown] => [column, countOf(fields[column], column)]);
  const numbers = NUMBERS.map((column): [string, unknown] => [column, realOf(fields[column])]);
  const given = [...texts, ...counters, ...numbers].filter(([, value]) => value !== null && value !== undefined);
  return {
    ...Object.fromEntries(given),
    source: isTruthy(fields["source"]) ? String(fields["source"]) : "import",
    started_at: started_at + 0,
    ...(model_config === null ? {} : { model_config }),
    ...(isTruthy(fields["archived"]) ? { archived: 1 as const } : {}),
  };
}

/** The messages of an imported session as the writer of batches takes them. */
export function importedMessages({ messages }: ImportableSession): object[] {
  return messages.map((message) => ({
    ...message,
    ...Object.fromEntries(JSON_COLUMNS.map((column) => [column, jsonValue(message[column])])),
    token_count: toInt(message["token_count"], "token_count"),
  }));
}

/** A counter; null for 0, which is the column's default. */
function countOf(value: unknown, column: string): number | bigint | null {
  const count = toInt(value, column) ?? 0;
  // Refuses what 64 bits can't hold.
  integerColumn(count, column);
  return count === 0 ? null : count;
}

function realOf(value: unknown): number | null {
  const number = toFloat(value);
  return number === null || Number.isNaN(number) ? null : number + 0;
}

function jsonValue(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const parsed = tryParsePythonJson(value, { keepFloats: true });
  return parsed.ok ? parsed.value : value;
}
