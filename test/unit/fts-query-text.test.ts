import { describe, expect, test } from "vitest";
import {
  describeRouting,
  hasRouterCjk,
  isOperator,
  isRouterCjk,
  likeTerms,
  phraseMatchText,
  stripOuterQuotes,
} from "../../src/store/search/fts-query-text.js";
import { chooseRoutes } from "../../src/store/search/search-routing.js";

describe("router CJK", () => {
  test.each([
    ["CJK punctuation", 0x3000, 0x303f],
    ["Hiragana", 0x3040, 0x309f],
    ["Katakana", 0x30a0, 0x30ff],
    ["extension A", 0x3400, 0x4dbf],
    ["unified ideographs", 0x4e00, 0x9fff],
    ["Hangul syllables", 0xac00, 0xd7af],
    ["extension B", 0x20000, 0x2a6df],
  ])("%s, both ends included", (_name, first, last) => {
    expect([isRouterCjk(first), isRouterCjk(last)]).toEqual([true, true]);
  });

  test.each([
    ["before CJK punctuation", 0x2fff],
    ["Bopomofo", 0x3105],
    ["compatibility Jamo", 0x3131],
    ["Jamo", 0x1100],
    ["Jamo extended B", 0xd7b0],
    ["compatibility ideographs", 0xf900],
    ["half-width kana", 0xff76],
    ["extension C", 0x2a700],
  ])("not %s", (_name, codePoint) => {
    expect(isRouterCjk(codePoint)).toBe(false);
  });

  test("is found anywhere in a text, also beyond the basic plane", () => {
    expect(hasRouterCjk("docker 日本")).toBe(true);
    expect(hasRouterCjk("a\u{20000}")).toBe(true);
    expect(hasRouterCjk("docker ｶﾅ")).toBe(false);
  });
});

test("operators are AND, OR and NOT alone, in any letter case", () => {
  expect(["AND", "or", "Not"].map(isOperator)).toEqual([true, true, true]);
  expect(["ANDROID", "NEAR", "", "AND\n"].map(isOperator)).toEqual([false, false, false, false]);
});

test("outer quotes go, all of them; inner ones stay", () => {
  expect(stripOuterQuotes('""a b""')).toBe("a b");
  expect(stripOuterQuotes('"a" OR "b"')).toBe('a" OR "b');
  expect(stripOuterQuotes('" a "')).toBe("a");
});

test("the MATCH text quotes every token and leaves operators as typed", () => {
  expect(phraseMatchText("大别山 OR 长江")).toBe('"大别山" OR "长江"');
  expect(phraseMatchText("a or b*")).toBe('"a" or "b*"');
  expect(phraseMatchText('日本語 "snake_case')).toBe('"日本語" """snake_case"');
});

test("the substrings of a LIKE scan are the terms, or the whole text where there are only operators", () => {
  expect(likeTerms("广西 NOT 桂林")).toEqual(["广西", "桂林"]);
  expect(likeTerms("AND or")).toEqual(["AND or"]);
});

describe("facts about a query", () => {
  test("short: a term with one or two CJK characters", () => {
    expect(describeRouting("大别山 OR 长江").short).toBe(true);
    expect(describeRouting("大别山 ab").short).toBe(false);
    expect(describeRouting("ab").short).toBe(false);
  });

  test("lone: one CJK character between others, at the start or at the end", () => {
    expect(["3月", "月3", "a 日 b", "日"].map((query) => describeRouting(query).lone)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(["日本", "a日本b", "abc"].map((query) => describeRouting(query).lone)).toEqual([false, false, false]);
  });

  test("counts code points, not UTF-16 units", () => {
    expect(describeRouting("\u{20000}\u{20001}").cjkCharacters).toBe(2);
  });

  test("tool rows are wanted only when the role filter names them", () => {
    expect(describeRouting("a", { roleFilter: ["user", "tool"] }).wantsTool).toBe(true);
    expect(describeRouting("a", { roleFilter: [] }).wantsTool).toBe(false);
    expect(describeRouting("a", { roleFilter: null }).wantsTool).toBe(false);
  });
});

describe("routes", () => {
  const all = { base: true, trigram: true, cjk: true };

  test("fall back in order", () => {
    expect(chooseRoutes(describeRouting("大别山"), all)).toEqual(["fts_cjk", "trigram", "like_scan"]);
    expect(chooseRoutes(describeRouting("大别山"), { ...all, cjk: false })).toEqual(["trigram", "like_scan"]);
    expect(chooseRoutes(describeRouting("大别"), { ...all, cjk: false })).toEqual(["like_scan"]);
  });

  test("tool rows are only in the base index and in the table itself", () => {
    expect(chooseRoutes(describeRouting("大别山", { roleFilter: ["tool"] }), all)).toEqual(["like_scan"]);
  });

  test("without the base index there is no search", () => {
    expect(chooseRoutes(describeRouting("大别山"), { ...all, base: false })).toEqual([]);
  });

  test("quotes around an ideographic space are no search for everything", () => {
    expect(chooseRoutes(describeRouting('"\u3000"'), all)).toEqual([]);
  });
});
