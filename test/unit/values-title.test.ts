import { describe, expect, test } from "vitest";
import { sanitizeTitle, TitleNotTextError, TitleTooLongError } from "../../src/store/values/title.js";

describe("the documented examples", () => {
  test.each<[string | null, string | null]>([
    ["  My   title ", "My title"],
    ["a\u0000b\u0007c", "abc"],
    ["tab\there\nnew\rline", "tab here new line"],
    ["zero\u200bwidth\ufeff", "zerowidth"],
    ["rtl\u202eoverride\u2066x", "rtloverridex"],
    ["\ufffc\ufff9obj", "obj"],
    ["   ", null],
    ["", null],
    [null, null],
    ["x".repeat(100), "x".repeat(100)],
  ])("%j", (title, stored) => {
    expect(sanitizeTitle(title)).toBe(stored);
  });

  test("101 characters are too many", () => {
    const sanitize = (): unknown => sanitizeTitle("x".repeat(101));
    expect(sanitize).toThrow(TitleTooLongError);
    expect(sanitize).toThrow(/^Title too long \(101 chars, max 100\)$/);
    expect(sanitize).toThrow(expect.objectContaining({ kind: "validation", length: 101 }));
  });
});

describe("the edges", () => {
  test("exactly the listed characters are removed", () => {
    const removed = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(
      (unit) => sanitizeTitle(`a${String.fromCharCode(unit)}b`) === "ab",
    );
    const ranges: [number, number][] = [
      [0x00, 0x08],
      [0x0b, 0x0c],
      [0x0e, 0x1f],
      [0x7f, 0x7f],
      [0x200b, 0x200f],
      [0x2028, 0x202e],
      [0x2060, 0x2069],
      [0xfeff, 0xfeff],
      [0xfff9, 0xfffc],
    ];
    const listed = ranges.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, offset) => first + offset),
    );
    expect(removed).toStrictEqual(listed);
  });

  test("other white space becomes one space", () => {
    expect(sanitizeTitle("a\x85\u3000b\xa0")).toBe("a b");
  });

  test("emoji joiners fall out, soft hyphens stay", () => {
    expect(sanitizeTitle("👩\u200d💻\xad\u180e")).toBe("👩💻\xad\u180e");
  });

  test("lone surrogates are replaced before anything is removed", () => {
    expect(sanitizeTitle("\ud83d\u200b\ude00")).toBe("\ufffd\ufffd");
  });

  test("the length is that of the cleaned title in code points", () => {
    expect(sanitizeTitle(`${"😀".repeat(100)}\u200b `)).toBe("😀".repeat(100));
    expect(() => sanitizeTitle("😀".repeat(101))).toThrow("Title too long (101 chars, max 100)");
  });

  test("what is empty clears, what is not text is refused", () => {
    for (const empty of [undefined, false, 0, [], {}]) expect(sanitizeTitle(empty)).toBeNull();
    for (const wrong of [5, true, ["a"]]) expect(() => sanitizeTitle(wrong)).toThrow(TitleNotTextError);
  });
});
