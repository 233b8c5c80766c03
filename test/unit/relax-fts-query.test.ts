import { describe, expect, test } from "vitest";
import { relaxFtsQuery } from "../../src/store/search/relax-fts-query.js";
import { sanitizeFtsQuery } from "../../src/store/search/sanitize-fts-query.js";

describe("relaxing a query that FTS5 refuses", () => {
  test.each([
    ["don't", `"don't"`],
    ["what's up?", `"what's" "up"`],
    ["hello world.", `hello "world"`],
    ["docker, compose", `"docker" compose`],
    ["C#", `"C"`],
    ["100%", `"100"`],
    ["foo/bar", `"foo/bar"`],
    ["docs/my-app.md", `"docs/my-app.md"`],
    ["user@example.com", `"user@example.com"`],
    ["C:\\Users\\me", `C "Users\\me"`],
    ["not-found", `"found"`],
    ["a & b", "a b"],
    ["a -- b", "a b"],
    ["?!", ""],
    ["é́?", `"é́"`],
  ])("words with punctuation: %s", (query, relaxed) => {
    expect(relaxFtsQuery(sanitizeFtsQuery(query))).toBe(relaxed);
  });

  test.each([
    [`"exact phrase", other`, `"exact phrase" other`],
    [`"a b","c d"`, `"a b" "c d"`],
    [`say, "hi"there`, `"say" "hi" there`],
    [`"hi"there!`, `"hi there"`],
    ["don't*", `"don't"*`],
    ["docs/my-app*", `"docs/my-app"*`],
    ["deploy* it's", `deploy* "it's"`],
    [`it's "a b"*`, `"it's" "a b"*`],
  ])("phrases and prefixes stay: %s", (query, relaxed) => {
    expect(relaxFtsQuery(sanitizeFtsQuery(query))).toBe(relaxed);
  });

  test.each([
    ["don't AND won't", `"don't" AND "won't"`],
    ["it's OR foo NOT bar", `"it's" OR foo NOT bar`],
    ["docker AND OR", "docker"],
    ["a AND* b", `a "AND"* b`],
    [`""AND*`, `"" "AND"*`],
    ["it's x*AND", `"it's" x*`],
    ["AND OR docker", "docker"],
    ["docker AND NOT compose", "docker NOT compose"],
    ["a AND & OR b", "a OR b"],
    ["it's and that's", `"it's" and "that's"`],
  ])("operators connect what is left: %s", (query, relaxed) => {
    expect(relaxFtsQuery(sanitizeFtsQuery(query))).toBe(relaxed);
  });

  test("a NUL separates words", () => {
    expect(relaxFtsQuery("it's\0here")).toBe(`"it's" here`);
  });
});
