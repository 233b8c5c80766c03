import { readFileSync } from "node:fs";
import { z } from "zod";
import { parsePythonJson } from "../../../src/store/values/python-json.js";

const refusal = z.strictObject({
  kind: z.string(),
  /** The class name of the reference; not ours. */
  type: z.string(),
  message: z.string().optional(),
  /** Informative only. */
  engine_message: z.string().optional(),
});

const step = z
  .strictObject({
    op: z.string(),
    args: z.record(z.string(), z.unknown()).default({}),
    pick: z.unknown().optional(),
    returns: z.unknown().optional(),
    raises: refusal.optional(),
  })
  .refine((value) => "returns" in value !== "raises" in value, "a step returns or raises");

const row = z.record(z.string(), z.unknown());

const example = z.strictObject({
  id: z.string(),
  title: z.string(),
  covers: z.array(z.string()),
  clock: z.array(z.number()).optional(),
  steps: z.array(step),
  rows: z.record(z.string(), z.array(row)).optional(),
});

const file = z.object({ examples: z.array(example) });

/** What a step refuses to do. */
export type ExampleRefusal = z.infer<typeof refusal>;
/** One call, and its result or refusal. */
export type ExampleStep = z.infer<typeof step>;
/** One worked example. Values are as in the file: decode them before use. */
export type Example = z.infer<typeof example>;

/**
 * Reads a file of worked examples. Floats that hold a whole number are `PyFloat`: a list or object that is given
 * to the store and stored as JSON text must keep its `1.0`.
 */
export function readExamples(path: URL): Example[] {
  return file.parse(parsePythonJson(readFileSync(path, "utf8"), { keepFloats: true })).examples;
}
