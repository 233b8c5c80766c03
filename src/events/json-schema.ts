import { z } from "zod";
import { eventCatalogue, eventTypes, type EventType } from "./catalogue.js";
import { bytes } from "./values.js";

/** A JSON Schema document (draft 2020-12). */
export type JsonSchema = Record<string, unknown>;

const INT = {
  type: "object",
  properties: { $int: { type: "string", pattern: "^-?[0-9]+$" } },
  required: ["$int"],
  additionalProperties: false,
};
const BYTES = {
  type: "object",
  properties: { base64: { type: "string", contentEncoding: "base64" } },
  required: ["base64"],
  additionalProperties: false,
};
const REAL = {
  anyOf: [
    { type: "number" },
    {
      type: "object",
      properties: { $real: { enum: ["inf", "-inf"] } },
      required: ["$real"],
      additionalProperties: false,
    },
  ],
};

/**
 * The JSON Schema of an event type's payload, newest version, as it stands in the log: for emitters in other
 * languages. Large integers, infinities and bytes appear in their wrapped form.
 */
export function payloadJsonSchema(type: EventType): JsonSchema {
  const definition = eventCatalogue[type];
  const schema = z.toJSONSchema(definition.schema, {
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const def = zodSchema._zod.def;
      if (def.type === "bigint") Object.assign(jsonSchema, INT);
      else if (def.type === "custom") Object.assign(jsonSchema, zodSchema === bytes ? BYTES : REAL);
    },
  }) as JsonSchema;
  return { ...schema, title: type, description: definition.summary, $comment: `payload version ${definition.version}` };
}

/** Payload schemas of every event type, by name. */
export function allPayloadJsonSchemas(): Record<EventType, JsonSchema> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- one entry for each type
  return Object.fromEntries(eventTypes.map((type) => [type, payloadJsonSchema(type)])) as Record<EventType, JsonSchema>;
}
