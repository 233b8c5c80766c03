import type { ZodType } from "zod";
import { eventDefinition, type EventPayloads, type EventType } from "./catalogue.js";
import { EventVersionError, InvalidEventError } from "./event-errors.js";
import type { EventDefinition } from "./definition.js";
import { decodePayload } from "./payload-codec.js";

/**
 * Checks a payload against the newest schema of its type and returns it. Throws {@link UnknownEventTypeError} or
 * {@link InvalidEventError}.
 */
export function validatePayload<T extends EventType>(type: T, payload: unknown): EventPayloads[T];
/** The same for a type that is only known as text. */
export function validatePayload(type: string, payload: unknown): EventPayloads[EventType];
export function validatePayload(type: string, payload: unknown): unknown {
  return check(eventDefinition(type), payload);
}

/**
 * Reads the payload text of a stored event: decodes it, lifts it through the upcasters from its version to the newest,
 * and validates the result. Throws {@link UnknownEventTypeError}, {@link EventVersionError} for a newer version and
 * {@link InvalidEventError} for text that does not fit.
 */
export function readPayload<T extends EventType>(type: T, schemaVersion: number, text: string): EventPayloads[T];
/** The same for a type that is only known as text. */
export function readPayload(type: string, schemaVersion: number, text: string): unknown;
export function readPayload(type: string, schemaVersion: number, text: string): unknown {
  return upcast(eventDefinition(type), schemaVersion, decode(type, text));
}

/**
 * Lifts a decoded payload of version `schemaVersion` through every later upcaster of `definition` and validates the
 * result against the newest schema.
 */
export function upcast<Payload>(
  definition: EventDefinition<string, Payload>,
  schemaVersion: number,
  payload: unknown,
): Payload {
  if (!Number.isInteger(schemaVersion) || schemaVersion < 1 || schemaVersion > definition.version) {
    throw new EventVersionError(definition.type, schemaVersion, definition.version);
  }
  let value = payload;
  for (const step of definition.versions.slice(schemaVersion)) {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the chain was typed when it was built
    value = (step.upcast as (previous: unknown) => unknown)(value);
  }
  return check(definition, value);
}

function decode(type: string, text: string): unknown {
  try {
    return decodePayload(text);
  } catch (cause) {
    throw new InvalidEventError(type, [{ path: "", message: "payload is no JSON" }], { cause });
  }
}

function check<Payload>(definition: EventDefinition<string, Payload>, payload: unknown): Payload {
  return validateAs(definition.type, definition.schema, payload);
}

/** Checks a value against a schema and returns it; throws {@link InvalidEventError} of the event type where it differs. */
export function validateAs<Value>(type: string, schema: ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  throw new InvalidEventError(type, problems);
}
