import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import { describeRouting } from "../../src/store/search/fts-query-text.js";
import { sanitizeFtsQuery } from "../../src/store/search/sanitize-fts-query.js";
import { searchMessages, type SearchResultRow } from "../../src/store/search/search-messages.js";
import type { SearchMessagesOptions } from "../../src/store/search/search-options.js";
import { chooseRoutes, type SearchIndexes } from "../../src/store/search/search-routing.js";
import { createReferenceSchema, insertRows } from "../support/reference-schema.js";
import { sharedPath } from "../support/shared.js";

interface SearchCase {
  readonly name: string;
  readonly indexes: readonly string[];
  readonly sessions: readonly Record<string, unknown>[];
  readonly messages: readonly Record<string, unknown>[];
  readonly meta?: Readonly<Record<string, string>>;
  readonly query: string;
  readonly filters: SearchMessagesOptions;
  readonly expect: unknown;
  readonly weakness?: readonly string[];
}

interface RoutingSetup {
  readonly name: string;
  readonly indexes: readonly string[];
  readonly expect: readonly (readonly [query: string, route: string])[];
}

const path = sharedPath("spec", "search-examples.json");
interface SearchExamples {
  readonly search: readonly SearchCase[];
  readonly routing: readonly RoutingSetup[];
}
const examples =
  path === null ? { search: [], routing: [] } : (JSON.parse(readFileSync(path, "utf8")) as SearchExamples);

const DOCKER = [
  ">>>docker<<< archived summary source",
  "nightly cron: >>>docker<<< prune finished",
  "Kubernetes vs >>>Docker<<< for P2.2 rollout",
  ">>>docker<<< ps output: container chat_send exited",
  "How do I deploy the app with >>>Docker<<< Compose?",
  "Use >>>docker<<< compose up -d, then check chat-send logs in my-app.config.ts.",
];

/** Recorded answers that fall short and where a better one is given on purpose: the snippets of that one. */
const BETTER = new Map<string, readonly string[]>([
  ["apostrophe is a syntax error, swallowed", ["I >>>don't<<< know"]],
  [
    "sentence-final period is a syntax error, swallowed",
    ["How do I >>>deploy<<< >>>the<<< >>>app<<< with Docker Compose?"],
  ],
  ["question mark is a syntax error, swallowed", ["How do I >>>deploy<<< >>>the<<< >>>app<<< with Docker Compose?"]],
  [
    "slash is a syntax error, swallowed",
    [
      "How do I deploy the app with >>>Docker Compose<<<?",
      "Use >>>docker compose<<< up -d, then check chat-send logs in my-app.config.ts.",
    ],
  ],
  [
    "comma is a syntax error, swallowed",
    [
      "How do I deploy the app with >>>Docker<<< >>>Compose<<<?",
      "Use >>>docker<<< >>>compose<<< up -d, then check chat-send logs in my-app.config.ts.",
    ],
  ],
  ["e-mail address is a syntax error", ["mail >>>user@example.com<<< now"]],
  ["not-found loses its first word and then fails to parse", ["error not->>>found<<< page"]],
  ["double dangling operator is a syntax error", DOCKER],
  ["lone surrogate in the query", DOCKER],
  ["paging past the end flips to substring results", []],
  [
    "gap after a syntax error is not consulted",
    [
      ">>>needle<<< >>>row<<< 1",
      ">>>needle<<< >>>row<<< 2",
      ">>>needle<<< >>>row<<< 6",
      ">>>needle<<< >>>row<<< 7",
      ">>>needle<<< >>>row<<< 8",
      "needle row 5",
      "needle row 4",
      "needle row 3",
    ],
  ],
]);

/** Recorded rows whose context shows what it should not: the context that is given instead. */
const BETTER_CONTEXT = new Map<string, readonly { role: string; content: string }[]>([
  [
    "context includes hidden rows",
    [
      { role: "user", content: "needle" },
      { role: "assistant", content: "next" },
    ],
  ],
]);

/**
 * The documented program answers nothing at all where there is no full-text index. Messages that are there and not found
 * look like messages that were lost, so all of them are looked at instead: the ids found.
 */
const SCANNED = new Map<string, readonly number[]>([
  ["FTS disabled returns nothing", [9, 6, 4, 3, 2, 1]],
  ["FTS disabled, CJK too", [4]],
]);

const directory = mkdtempSync(join(tmpdir(), "search-conformance-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function indexesOf(names: readonly string[]): SearchIndexes {
  return { base: names.includes("base"), trigram: names.includes("trigram"), cjk: names.includes("cjk") };
}

/** Makes the file of a case, closes it, opens it again and searches. */
function answer(example: SearchCase, index: number): SearchResultRow[] {
  const file = join(directory, `${index}.db`);
  const writer = new Sqlite(file);
  writer.pragma("foreign_keys = OFF");
  writer.pragma("synchronous = OFF");
  createReferenceSchema(writer);
  writer.transaction(() => {
    insertRows(
      writer,
      "state_meta",
      Object.entries(example.meta ?? {}).map(([key, value]) => ({ key, value })),
    );
    insertRows(writer, "sessions", example.sessions);
    insertRows(writer, "messages", example.messages);
  })();
  writer.close();
  const reader = new Sqlite(file, { readonly: true });
  try {
    return searchMessages(reader, example.query, example.filters, indexesOf(example.indexes));
  } finally {
    reader.close();
  }
}

describe.skipIf(path === null)("recorded searches", () => {
  // The CJK index needs its tokenizer, a loadable extension.
  const cases = examples.search.filter((example) => !example.indexes.includes("cjk"));

  test.each(cases.map((example, index) => [example.name, example, index] as const))("%s", (name, example, index) => {
    const rows = answer(example, index);
    const better = BETTER.get(name);
    const context = BETTER_CONTEXT.get(name);
    const scanned = SCANNED.get(name);
    if (context !== undefined) expect(rows).toEqual((example.expect as object[]).map((row) => ({ ...row, context })));
    else if (scanned !== undefined) expect(rows.map((row) => row.id)).toEqual(scanned);
    else if (better === undefined) expect(rows).toEqual(example.expect);
    else expect(rows.map((row) => row.snippet)).toEqual(better);
  });

  test("differ only where the recorded answer is known to be weak", () => {
    const weak = new Set(cases.filter(({ weakness }) => weakness !== undefined).map(({ name }) => name));
    expect([...BETTER.keys(), ...BETTER_CONTEXT.keys()].filter((name) => !weak.has(name))).toEqual([]);
  });
});

describe.skipIf(path === null)("recorded routes", () => {
  test.each(examples.routing.map((setup) => [setup.name, setup] as const))("%s", (_name, setup) => {
    const routes = setup.expect.map(([query]) => {
      const facts = describeRouting(sanitizeFtsQuery(query));
      return [query, chooseRoutes(facts, indexesOf(setup.indexes))[0] ?? "empty"];
    });
    expect(routes).toEqual(setup.expect);
  });
});
