import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sanitizeFtsQuery } from "../../src/store/search/sanitize-fts-query.js";
import { sharedPath } from "../support/shared.js";

interface SanitizerCase {
  readonly in: string;
  readonly out: string;
}

function label({ in: query }: SanitizerCase, index: number): string {
  const text = JSON.stringify(query);
  return `${index}: ${text.length > 60 ? `${text.slice(0, 60)}… (${query.length} units)` : text}`;
}

const committed = JSON.parse(
  readFileSync(new URL("data/sanitizer-cases.json", import.meta.url), "utf8"),
) as SanitizerCase[];

describe("the documented sanitiser", () => {
  test("has all of its recorded cases here", () => {
    expect(committed).toHaveLength(183);
  });

  test.each(committed.map((example, index) => [label(example, index), example] as const))("%s", (_label, example) => {
    expect(sanitizeFtsQuery(example.in)).toBe(example.out);
  });

  const shared = sharedPath("spec", "search-examples.json");
  test.skipIf(shared === null)("gives every answer of the shared examples", () => {
    const examples = JSON.parse(readFileSync(shared ?? "", "utf8")) as { readonly sanitizer: SanitizerCase[] };
    expect(examples.sanitizer.length).toBeGreaterThan(0);
    const answers = examples.sanitizer.map((example) => ({ in: example.in, out: sanitizeFtsQuery(example.in) }));
    expect(answers).toEqual(examples.sanitizer);
  });
});
