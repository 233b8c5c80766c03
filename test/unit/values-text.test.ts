import { describe, expect, test } from "vitest";
import * as text from "../../src/store/values/text.js";

const SPACES =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
  "\u2028\u2029\u202f\u205f\u3000";

describe("white space", () => {
  test("is exactly the documented set", () => {
    const all = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(text.isSpace);
    expect(String.fromCodePoint(...all)).toBe(SPACES);
  });

  test("strip takes all of it and nothing else", () => {
    expect(text.strip(`${SPACES}a b${SPACES}`)).toBe("a b");
    expect(text.lstrip(`${SPACES}a `)).toBe("a ");
    expect(text.rstrip(` a${SPACES}`)).toBe(" a");
    expect(text.strip("\ufeffa\u200b")).toBe("\ufeffa\u200b");
    expect(text.strip(SPACES)).toBe("");
  });

  test("splitSpaces gives the words, none of them empty", () => {
    expect(text.splitSpaces("  a \x1c b\u3000c")).toStrictEqual(["a", "b", "c"]);
    expect(text.splitSpaces(" \n")).toStrictEqual([]);
    expect(text.splitSpaces("")).toStrictEqual([]);
  });

  test("collapseSpaces keeps one space a run, also at the ends", () => {
    expect(text.collapseSpaces("  a\tb \x85c d\n")).toBe(" a b c d ");
    expect(text.collapseSpaces("a b")).toBe("a b");
    expect(text.collapseSpaces("\n")).toBe(" ");
    expect(text.collapseSpaces("")).toBe("");
  });
});

describe("code points", () => {
  const sample = "a😀\ud800é\udc00\ud83d";

  test("are counted, a lone surrogate as one", () => {
    expect(text.codePointLength(sample)).toBe(6);
    expect(text.codePointLength("")).toBe(0);
  });

  test("are never cut in half", () => {
    expect(text.firstCodePoints(sample, 2)).toBe("a😀");
    expect(text.firstCodePoints(sample, 0)).toBe("");
    expect(text.firstCodePoints(sample, 6)).toBe(sample);
    expect(text.firstCodePoints("😀😀", 3)).toBe("😀😀");
    expect(text.lastCodePoints("a😀b", 2)).toBe("😀b");
    expect(text.lastCodePoints("a😀b", 0)).toBe("");
    expect(text.lastCodePoints("😀😀", 1)).toBe("😀");
    expect(text.lastCodePoints(sample, 9)).toBe(sample);
  });

  test("surrogates without their other half are found and replaced one by one", () => {
    expect(text.hasLoneSurrogate("a😀")).toBe(false);
    expect(["\ud800", "\udc00😀", "😀\ud83d", "\udc00\ud800"].every(text.hasLoneSurrogate)).toBe(true);
    expect(text.scrubSurrogates(sample)).toBe("a😀\ufffdé\ufffd\ufffd");
    expect(text.scrubSurrogates("\ud800\ud83d\ude00\udc00")).toBe("\ufffd😀\ufffd");
  });
});

test("escapeLike", () => {
  expect(text.escapeLike("50% of_a\\b")).toBe("50\\% of\\_a\\\\b");
});

test("lowerAscii leaves other letters alone", () => {
  expect(text.lowerAscii("ABCÄÖİ xyZ")).toBe("abcÄÖİ xyz");
});

test.each([
  ["a", "'a'"],
  ["it's", `"it's"`],
  [`it's "x"`, `'it\\'s "x"'`],
  ["a\\b\n\r\t", "'a\\\\b\\n\\r\\t'"],
  ["\0\x1f\x7f\x85\xa0\xad", "'\\x00\\x1f\\x7f\\x85\\xa0\\xad'"],
  ["é漢😀 ", "'é漢😀 '"],
  ["\u200b\u2028\ufeff\ud800\ue000", "'\\u200b\\u2028\\ufeff\\ud800\\ue000'"],
  ["\u{e0001}\u{10ffff}", "'\\U000e0001\\U0010ffff'"],
  ["", "''"],
])("pythonRepr(%j)", (value, quoted) => {
  expect(text.pythonRepr(value)).toBe(quoted);
});
