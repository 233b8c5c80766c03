/**
 * Writes the JSON Schemas of all event payloads to `schemas/events/`, one file a type. A test holds the files against
 * the catalogue.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventTypes, payloadJsonSchema } from "../src/events/index.js";

const directory = new URL("../schemas/events/", import.meta.url);
mkdirSync(directory, { recursive: true });
for (const type of eventTypes) {
  writeFileSync(new URL(`${type}.json`, directory), `${JSON.stringify(payloadJsonSchema(type), null, 2)}\n`);
}
console.log(`${eventTypes.length} schemas written to ${fileURLToPath(directory)}`);
