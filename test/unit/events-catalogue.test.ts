import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  allPayloadJsonSchemas,
  decodePayload,
  defineEvent,
  encodePayload,
  eventCatalogue,
  eventDefinition,
  eventTypes,
  readPayload,
  upcast,
  validatePayload,
} from "../../src/events/index.js";

const golden = new URL("./golden/events/", import.meta.url);
const schemas = new URL("../../schemas/events/", import.meta.url);

const goldenText = (type: string, version: number): string =>
  readFileSync(new URL(`${type}.v${version}.json`, golden), "utf8").trimEnd();

describe("every payload version ever shipped", () => {
  const shipped = eventTypes.flatMap((type) =>
    eventCatalogue[type].versions.map((_, index) => [type, index + 1] as const),
  );

  test.each(shipped)("%s version %i is still read", (type, version) => {
    const payload = readPayload(type, version, goldenText(type, version));
    expect(validatePayload(type, payload)).toEqual(payload);
  });

  test.each(eventTypes.map((type) => [type, eventCatalogue[type].version] as const))(
    "%s version %i is written as it was",
    (type, version) => {
      const text = goldenText(type, version);
      expect(encodePayload(readPayload(type, version, text))).toBe(text);
    },
  );

  test("no golden file is without its version", () => {
    const expected = shipped.map(([type, version]) => `${type}.v${version}.json`).sort();
    expect(readdirSync(golden).sort()).toEqual(expected);
  });
});

describe("the catalogue", () => {
  test("names every definition by its type", () => {
    expect(eventTypes.map((type) => eventCatalogue[type].type)).toEqual(eventTypes);
  });

  test("an unknown type is refused and named", () => {
    expect(() => eventDefinition("MessageShouted")).toThrow(/'MessageShouted' is unknown; nothing was appended/);
    expect(() => eventDefinition("constructor")).toThrow(/is unknown/);
  });

  test("a payload version that is newer is refused and named", () => {
    expect(() => readPayload("TitleSet", 2, goldenText("TitleSet", 1))).toThrow(
      expect.objectContaining({ kind: "newer_schema", type: "TitleSet", schemaVersion: 2, newestKnown: 1 }),
    );
    expect(() => readPayload("TitleSet", 0, goldenText("TitleSet", 1))).toThrow(/version 0/);
  });

  test("a payload that does not fit is refused with the path of each problem", () => {
    expect(() => validatePayload("MessageAppended", { session_id: 5, message: { id: 1 }, calls: -1 })).toThrow(
      expect.objectContaining({
        code: "INVALID_EVENT",
        problems: expect.arrayContaining([
          expect.objectContaining({ path: "session_id" }),
          expect.objectContaining({ path: "message.role" }),
          expect.objectContaining({ path: "calls" }),
        ]) as unknown,
      }),
    );
    expect(() => validatePayload("TitleSet", { session_id: "a", title: null, released_from: null, extra: 1 })).toThrow(
      /extra/,
    );
  });

  test("the exported JSON Schemas are current (npm run schemas:update)", () => {
    for (const [type, schema] of Object.entries(allPayloadJsonSchemas())) {
      expect(JSON.parse(readFileSync(new URL(`${type}.json`, schemas), "utf8")), type).toEqual(schema);
    }
    expect(readdirSync(schemas).sort()).toEqual(eventTypes.map((type) => `${type}.json`).sort());
  });
});

describe("the upcaster chain", () => {
  const renamed = defineEvent("Renamed", "A thing was renamed.", z.strictObject({ name: z.string() }))
    .next(z.strictObject({ name: z.string(), at: z.number() }), (v1) => ({ ...v1, at: 0 }))
    .next(z.strictObject({ title: z.string(), at: z.number() }), ({ name, at }) => ({ title: name, at }))
    .done(() => "$things");

  test("lifts each version through every later step", () => {
    expect(upcast(renamed, 1, { name: "a" })).toEqual({ title: "a", at: 0 });
    expect(upcast(renamed, 2, { name: "a", at: 5 })).toEqual({ title: "a", at: 5 });
    expect(upcast(renamed, 3, { title: "a", at: 5 })).toEqual({ title: "a", at: 5 });
  });

  test("validates what comes out", () => {
    expect(() => upcast(renamed, 3, { name: "a", at: 5 })).toThrow(/Renamed/);
    expect(() => upcast(renamed, 4, { title: "a", at: 5 })).toThrow(/version 4/);
  });
});

describe("payload text", () => {
  test.each([
    ["large integers", { a: 2n ** 63n - 1n, b: -(2n ** 63n) }],
    ["infinities", { a: Infinity, b: -Infinity }],
    ["bytes", { a: new Uint8Array([0, 1, 255]), b: new Uint8Array() }],
    ["text that looks like a wrapper", { a: '{"$int":"5"}', b: '{"base64":"AA=="}' }],
    ["NUL and separators", { a: "\u0000\u2028\u2029\ud83d\ude00" }],
  ])("%s come back", (_name, payload) => {
    expect(decodePayload(encodePayload(payload))).toEqual(payload);
  });

  test("a Buffer is bytes like any other", () => {
    expect(encodePayload({ a: Buffer.from("hi") })).toBe('{"a":{"base64":"aGk="}}');
  });
});
