import { describe, expect, test } from "vitest";
import { runSearch, type SearchOutcome } from "../../src/store/search/run-search.js";
import { search } from "../../src/store/search/search.js";
import { searchMessages } from "../../src/store/search/search-messages.js";
import { SearchPageError } from "../../src/store/search/search-options.js";
import { insertRows } from "../support/reference-schema.js";
import { searchStore, type SearchableMessage } from "../support/search-store.js";

const INDEXES = { base: true, trigram: true, cjk: false };

function ids({ hits }: SearchOutcome): number[] {
  return hits.map((hit) => hit.id);
}

function found(messages: readonly SearchableMessage[], query: string): number[] {
  return ids(runSearch(searchStore(messages), query, {}, INDEXES));
}

describe("wrong input", () => {
  const db = searchStore(["docker"]);

  test.each([["limit"], ["offset"]])("a %s that is no whole number is refused", (parameter) => {
    for (const value of [1.5, NaN, Infinity]) {
      expect(() => searchMessages(db, "docker", { [parameter]: value })).toThrow(SearchPageError);
    }
    expect(() => searchMessages(db, "docker", { [parameter]: 1.5 })).toThrow(
      `The search did not run: ${parameter} is 1.5, which is no whole number. Pass an integer.`,
    );
  });

  test.each([[null], [""], [" \t "], ["***"], ["AND"]])("nothing to look for: %j", (query) => {
    expect(runSearch(db, query, {}, INDEXES)).toMatchObject({ hits: [], route: "empty", syntaxProblem: null });
    expect(searchMessages(db, query)).toEqual([]);
  });

  test.each([["((("], ["***"], [""]])("a search for nothing says so: %j", (query) => {
    expect(search(db, query, {}, INDEXES)).toEqual({
      hits: [],
      total: 0,
      route: "empty",
      degraded: false,
      notice: "Nothing to search for.",
    });
  });

  test("a query beyond what FTS5 can take is told apart from one that finds nothing", () => {
    const chain = Array.from({ length: 300 }, () => "a").join(" NOT ");
    const refused = runSearch(db, chain, {}, INDEXES);
    expect(refused).toMatchObject({ hits: [], route: "fts5" });
    expect(refused.syntaxProblem).toMatch(/^fts5 expression tree is too large/);
    expect(runSearch(db, "nowhere", {}, INDEXES)).toMatchObject({ hits: [], route: "fts5", syntaxProblem: null });
  });
});

describe("everyday punctuation", () => {
  test.each([
    ["don't", "I don't know"],
    ["hello world.", "hello, world"],
    ["foo/bar", "see foo/bar"],
    ["user@example.com", "mail user@example.com"],
    ["C#", "written in C#"],
    ["100%", "at 100% load"],
    ["is it up?", "up it is"],
    ["it's AND (that's OR what's)", "that's what it's for"],
    ["docker AND", "docker"],
  ])("%s finds the text that says it", (query, text) => {
    expect(found(["other", text, "words"], query)).toEqual([2]);
  });

  test("what is joined is found together", () => {
    expect(found(["bar foo", "foo bar"], "foo/bar")).toEqual([2]);
  });

  test("the outcome tells what ran", () => {
    const db = searchStore(["it's here"]);
    expect(runSearch(db, "it's", {}, INDEXES).relaxedTo).toBe(`"it's"`);
    expect(runSearch(db, "here", {}, INDEXES).relaxedTo).toBeNull();
  });

  test("a star left at the start is no command to FTS5", () => {
    expect(found(["reads"], "AND*reads")).toEqual([1]);
  });
});

describe("parts of words", () => {
  const messages = ["cat one", "concatenate", "scatter"];

  test("are looked for only when the word itself is nowhere", () => {
    const db = searchStore(messages);
    expect(runSearch(db, "cat", {}, INDEXES)).toMatchObject({ substrings: false, route: "fts5" });
    const parts = runSearch(db, "catte", {}, INDEXES);
    expect(parts).toMatchObject({ substrings: true, route: "trigram" });
    expect(ids(parts)).toEqual([3]);
  });

  test("do not come as further pages of the exact hits, but have pages of their own", () => {
    const db = searchStore(messages);
    expect(ids(runSearch(db, "cat", { offset: 1 }, INDEXES))).toEqual([]);
    const first = ids(runSearch(db, "cat*", {}, INDEXES));
    expect(first).toEqual([1]);
    const all = ids(runSearch(db, "atte", {}, INDEXES));
    expect(ids(runSearch(db, "atte", { offset: 1 }, INDEXES))).toEqual(all.slice(1));
    const two = searchStore(["xneedlex", "yneedley"]);
    const pages = [0, 1, 2].map((offset) => ids(runSearch(two, "needle", { limit: 1, offset }, INDEXES)));
    expect(pages.flat().sort()).toEqual([1, 2]);
    expect(pages[2]).toEqual([]);
  });
});

describe("time order", () => {
  const db = searchStore(
    Array.from({ length: 30 }, (_, index) => ({ content: `needle ${"x ".repeat(index % 7)}`, timestamp: index % 3 })),
  );

  test.each([["newest"], ["oldest"]] as const)("%s: time, then rank, then id, on every page", (sort) => {
    const relevance = ids(runSearch(db, "needle", { limit: -1 }, INDEXES));
    const time = (id: number): number => ((id - 1) % 3) * (sort === "newest" ? -1 : 1);
    const expected = [...relevance].sort((a, b) => time(a) - time(b));
    expect(ids(runSearch(db, "needle", { limit: -1, sort }, INDEXES))).toEqual(expected);
    const pages = [0, 7, 14, 21, 28].map((offset) => runSearch(db, "needle", { limit: 7, offset, sort }, INDEXES));
    expect(pages.flatMap(ids)).toEqual(expected);
    expect(pages[0]?.hits[0]?.snippet).toContain(">>>needle<<<");
  });
});

describe("rows that a rebuild has not come to", () => {
  function rebuilding(): ReturnType<typeof searchStore> {
    const db = searchStore([]);
    insertRows(db, "state_meta", [
      { key: "fts_rebuild_high_water", value: "3" },
      { key: "fts_rebuild_progress", value: "1" },
    ]);
    insertRows(
      db,
      "messages",
      ["it's one", "it's two", "its three", "it's four"].map((content, index) => ({
        id: index + 1,
        session_id: "s1",
        role: "user",
        content,
        timestamp: index + 1,
      })),
    );
    return db;
  }

  test("are scanned, and the outcome tells which", () => {
    const outcome = runSearch(rebuilding(), "it's,", {}, INDEXES);
    expect(ids(outcome)).toEqual([1, 4, 2]);
    expect(outcome.gap).toEqual({ after: 1, up_to: 3 });
  });

  test("also without a limit", () => {
    expect(ids(runSearch(rebuilding(), "it's", { limit: -1 }, INDEXES))).toEqual([1, 4, 2]);
  });

  test("not when the page is full", () => {
    expect(ids(runSearch(rebuilding(), "it's", { limit: 2 }, INDEXES))).toEqual([1, 4]);
  });

  test("a marker that is no number leaves no gap, as the triggers see it", () => {
    const db = searchStore([]);
    insertRows(db, "state_meta", [{ key: "fts_rebuild_high_water", value: "soon" }]);
    insertRows(db, "messages", [{ id: 1, session_id: "s1", role: "user", content: "needle", timestamp: 1 }]);
    const outcome = runSearch(db, "needle", {}, INDEXES);
    expect([ids(outcome), outcome.gap]).toEqual([[1], null]);
  });
});

describe("context", () => {
  function contents(neighbour: unknown): unknown {
    const db = searchStore([{ content: neighbour }, "needle"]);
    return searchMessages(db, "needle")[0]?.context.map((entry) => entry.content);
  }

  test("is cut by code points", () => {
    expect(contents("😀".repeat(201))).toEqual(["😀".repeat(200), "needle"]);
  });

  test("shows undecodable structured content as stored, and bytes as nothing", () => {
    expect(contents("\0json:{")).toEqual(["\0json:{", "needle"]);
    expect(contents(Buffer.from("x"))).toEqual(["", "needle"]);
  });

  test("leaves out a text part that is no string, and keeps the rest", () => {
    expect(contents('\0json:[{"type": "text", "text": 5}, {"type": "text"}]')).toEqual([
      "[multimodal content]",
      "needle",
    ]);
    expect(contents('\0json:[{"type": "text", "text": 5}, {"type": "text", "text": "seen"}]')).toEqual([
      "seen",
      "needle",
    ]);
  });

  test("passes over what was undone to the next that was not, unless the search includes it", () => {
    const db = searchStore([
      "before",
      { content: "undone", active: 0 },
      "needle",
      { content: "kept", active: 0, compacted: 1 },
    ]);
    const texts = (include_inactive: boolean): unknown =>
      searchMessages(db, "needle", { include_inactive })[0]?.context.map(({ content }) => content);
    expect(texts(false)).toEqual(["before", "needle", "kept"]);
    expect(texts(true)).toEqual(["undone", "needle", "kept"]);
  });
});

test("the keys of a row come in the documented order", () => {
  expect(Object.keys(searchMessages(searchStore(["docker"]), "docker")[0] ?? {})).toEqual([
    "id",
    "session_id",
    "role",
    "snippet",
    "timestamp",
    "tool_name",
    "source",
    "model",
    "session_started",
    "context",
  ]);
});
