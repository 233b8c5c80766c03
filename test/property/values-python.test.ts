import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { floatText, roundHalfEven, toFloat, toInt } from "../../src/store/values/numbers.js";
import {
  codePointLength,
  collapseSpaces,
  firstCodePoints,
  isSpace,
  lastCodePoints,
  lstrip,
  pythonRepr,
  rstrip,
  scrubSurrogates,
  splitSpaces,
  strip,
} from "../../src/store/values/text.js";
import { askPython, hasPython } from "../support/python.js";

/** Text whose characters Python's and this Node's Unicode tables agree on. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      " ",
      "\t",
      "\n",
      "\v",
      "\f",
      "\x1c",
      "\x1f",
      "\x85",
      "\xa0",
      "\u1680",
      "\u2003",
      "\u2028",
      "\u3000",
    ),
    fc.constantFrom("\ufeff", "\u200b", "\u180e", "\xad", "a", "b", "'", '"', "\\", "\r", "\0", "\x7f", "é", "漢"),
    fc.constantFrom("😀", "\ud800", "\udc00", "\u{e0001}", "\u{10ffff}"),
  ),
});

const numericText = fc.oneof(
  fc.double().map(String),
  fc.bigInt().map(String),
  fc
    .array(
      fc.constantFrom(
        ...["0", "1", "9", "12", "_", ".", "e", "E", "+", "-", " ", "\t", "\x1c", "\u3000", "\0", "\ufeff", "x"],
        ...["inf", "Infinity", "NaN", "\u0661", "\u096f", "\uff10", "\u{1d7d8}", "\u{1d7ff}", "\u00b2", "\u2160"],
      ),
      { maxLength: 7 },
    )
    .map((pieces) => pieces.join("")),
);

const double = fc.oneof(
  fc.double({ noNaN: true }),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  fc.tuple(fc.integer(), fc.nat({ max: 12 })).map(([whole, shift]) => whole / 2 ** shift),
  fc.tuple(fc.integer(), fc.nat({ max: 9 })).map(([whole, shift]) => whole / 10 ** shift),
);

/** Checks one batch of items at a time, since every batch starts a process. */
function compare<T>(items: fc.Arbitrary<T>, source: string, ours: (item: T) => unknown): void {
  const batches = fc.array(items, { minLength: 400, maxLength: 800, size: "max" });
  fc.assert(
    fc.property(batches, (batch) => {
      expect(batch.map(ours)).toStrictEqual(askPython(source, batch));
    }),
    { numRuns: 2, endOnFailure: true },
  );
}

describe.skipIf(!hasPython)("compared with Python", () => {
  test("white space is the same for every code point", () => {
    const [codePoints] = askPython(
      "def answer(limit):\n    return [c for c in range(limit) if chr(c).isspace()]",
      [0x110000],
    );
    const ours = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(isSpace);
    expect(ours).toStrictEqual(codePoints);
  });

  test("strip, split, lengths and quoting", () => {
    const source = `
import re
def answer(s):
    joined = s.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return [joined.strip(), joined.lstrip(), joined.rstrip(), joined.split(), re.sub(r"\\s+", " ", joined),
            len(joined), joined[:3], joined[-3:], repr(joined), re.sub("[\\ud800-\\udfff]", "\\ufffd", joined)]
`;
    compare(text, source, (s) => [
      ...[strip(s), lstrip(s), rstrip(s), splitSpaces(s), collapseSpaces(s), codePointLength(s)],
      ...[firstCodePoints(s, 3), lastCodePoints(s, 3), pythonRepr(s), scrubSurrogates(s)],
    ]);
  });

  test("float() and int() of text", () => {
    const source = `
def attempt(f, s):
    try:
        return repr(f(s))
    except ValueError:
        return None
def answer(s):
    return [attempt(float, s), attempt(int, s)]
`;
    compare(numericText, source, (s) => {
      const float = toFloat(s);
      return [float === null ? null : floatText(float), toInt(s)?.toString() ?? null];
    });
  });

  test("repr, truncation and rounding of floats", () => {
    const source = `
def answer(s):
    x = float(s)
    finite = x - x == 0
    return [repr(x), str(int(x)) if finite else None, repr(round(x, 1)), repr(round(x, 2)), repr(round(x, 6))]
`;
    const spelled = double.map((value) => (Object.is(value, -0) ? "-0.0" : String(value)));
    compare(spelled, source, (s) => {
      const value = Number(s);
      const rounded = [1, 2, 6].map((digits) => floatText(roundHalfEven(value, digits)));
      return [floatText(value), Number.isFinite(value) ? String(toInt(value)) : null, ...rounded];
    });
  });
});
