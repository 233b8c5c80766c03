import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PREVIEW_CONTENT_SQL, previewOf, recentUserPreview } from "../../src/store/messages/preview.js";
import { skillDescription } from "../../src/store/messages/skill-invocation.js";

const PREFIX = "[IMPORTANT: The user has invoked the ";
const TIDY =
  `${PREFIX}"tidy" skill, indicating they want you to follow its instructions. ` +
  "The full skill content is loaded below.]\n\nSKILL BODY ";
const ASKS = "The user has provided the following instruction alongside the skill invocation: ";

/** A skill text of so many characters, whose instruction starts in the middle. */
const skillTextOf = (length: number) => {
  const end = `${ASKS}do it${" ".repeat(370)}`;
  return `${TIDY}${"b".repeat(length - TIDY.length - end.length)}${end}`;
};

describe("skill description", () => {
  test.each([
    ["name and instruction", `${TIDY}body\n\n${ASKS}fix   the\nleak`, "/tidy — fix the leak"],
    ["the name alone", `${TIDY}body only`, "/tidy"],
    ["an empty instruction", `${TIDY}\n\n${ASKS}  \n `, "/tidy"],
    ["up to the runtime note", `${TIDY}\n\n${ASKS}short\n\n[Runtime note: zz]`, "/tidy — short"],
    ["after the last of several", `${TIDY}it says "${ASKS}never" here\n\n${ASKS}always`, "/tidy — always"],
    ["up to the gap of an excerpt", `${TIDY}\n\n${ASKS}one two\u001ethree`, "/tidy — one two"],
    ["a leading gap is white space", `${TIDY}\n\n${ASKS}\u001eone`, "/tidy — one"],
    ["a name with its slash", `${PREFIX}"/tidy" skill`, "/tidy"],
    ["a name with space around it", `${PREFIX}" tidy\u00a0" skill`, "/tidy"],
    ["no quotes right after the prefix", `${PREFIX}skill "tidy". The full skill content is loaded below.]`, null],
    ["quotes that never close", `${PREFIX}"tidy skill`, null],
    ["an empty name", `${PREFIX}"" skill. The full skill content is loaded below.]${ASKS}do it`, "do it"],
    ["no load marker", `${PREFIX}"tidy" skill ${ASKS}do it`, "/tidy"],
    ["neither", PREFIX, null],
    ["another case", `${TIDY.toLowerCase()}${ASKS}x`, null],
    ["not at the start", ` ${TIDY}`, null],
    ["ordinary text", "hello", null],
  ])("%s", (_, text, description) => {
    expect(skillDescription(text)).toBe(description);
  });

  const BUNDLE = `${PREFIX}"kit" skill bundle, which loads several skills.]\n\n`;

  test.each([
    ["up to the first loaded skill", "User instruction: go  on\n\n[Loaded as part of the kit]", "/kit — go on"],
    ["after the first of several", "User instruction: one\nUser instruction: two", "/kit — one User instruction: two"],
    ["only at the start of a line", "x User instruction: no", "/kit"],
    ["the rule for single skills is not tried", `The full skill content is loaded below.]${ASKS}no`, "/kit"],
  ])("of a bundle: %s", (_, rest, description) => {
    expect(skillDescription(BUNDLE + rest)).toBe(description);
  });
});

describe("session preview", () => {
  test.each([
    ["no message", null, ""],
    ["empty", "", ""],
    ["white space only, by the documented set", " \n\u0085\u001f\u3000", ""],
    ["line breaks become spaces, each", "line one\r\nline two", "line one  line two"],
    ["stripped", "\n  hi \n", "hi"],
    ["60 characters", "y".repeat(60), "y".repeat(60)],
    ["61 characters", "y".repeat(61), `${"y".repeat(60)}...`],
    ["cut at 63 before it is stripped", `${" ".repeat(10)}${"y".repeat(60)}`, "y".repeat(53)],
    ["characters are code points", "\u{1f600}".repeat(61), `${"\u{1f600}".repeat(60)}...`],
    ["structured content", '\u0000json:[{"type": "text", "text": "x"}]', ""],
    ["text stops at a NUL", "seen\u0000unseen", "seen"],
    ["a separator cuts", "before\u001eafter", "before"],
    ["a byte order mark is no white space", "\ufeffhi", "\ufeffhi"],
    ["skill with instruction", `${TIDY}body\n\n${ASKS}fix   the\nleak`, "/tidy — fix the leak"],
    ["skill, instruction past the middle", `${TIDY}${"b".repeat(600)}\n\n${ASKS}long one`, "/tidy — long one"],
    ["skill without instruction", `${TIDY}body only`, "/tidy"],
    [
      "skill with a runtime note: its line breaks are gone",
      `${TIDY}body\n\n${ASKS}short\n\n[Runtime note: zz]`,
      "/tidy — short [Runtime note: zz]",
    ],
    ["bundle: only the label", `${PREFIX}"kit" skill bundle,\nUser instruction: go`, "/kit"],
    ["long description", `${TIDY}${ASKS}${"z".repeat(90)}`, `/tidy — ${"z".repeat(52)}...`],
    ["other case: cut like a skill, shown as text", `${PREFIX.toLowerCase()}"tidy"`, `${PREFIX.toLowerCase()}"tidy"`],
    [
      "other case: not cut at 63 either",
      `${PREFIX.toLowerCase()}x${" ".repeat(40)}y`,
      `${PREFIX.toLowerCase()}x`.padEnd(60) + "...",
    ],
    ["skill after white space: recognised once stripped, in 63 characters", ` ${TIDY}${ASKS}x`, "/tidy"],
  ])("%s", (_, content, preview) => {
    expect(previewOf(content)).toBe(preview);
  });

  test("of a skill text of 800 characters all are seen, of a longer one 400 at either end", () => {
    expect(previewOf(skillTextOf(800))).toBe("/tidy — do it");
    expect(previewOf(skillTextOf(801))).toBe("/tidy");
  });

  test("an instruction that reaches into the gap ends there", () => {
    const early = `${TIDY}\n\n${ASKS}`;
    const text = `${early}${"i".repeat(400 - early.length)}${"x".repeat(900)}`;
    expect(previewOf(text)).toBe(`/tidy — ${"i".repeat(52)}...`);
    expect(skillDescription(text.slice(0, 400) + "\u001e" + text.slice(-400))).toBe(
      `/tidy — ${"i".repeat(400 - early.length)}`,
    );
  });
});

describe("the preview's subquery", () => {
  let db: Database.Database;
  beforeAll(() => {
    db = new Database(":memory:");
    db.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL, active INTEGER);
    `);
  });
  afterAll(() => db.close());

  const contentFor = (rows: readonly [role: string, content: string | Uint8Array | null, timestamp: number][]) => {
    db.exec("DELETE FROM messages; DELETE FROM sessions; INSERT INTO sessions VALUES ('s1'), ('other');");
    const insert = db.prepare(
      "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('s1', ?, ?, ?, 0)",
    );
    for (const row of rows) insert.run(row);
    const select = db.prepare<[], string | null>(`SELECT ${PREVIEW_CONTENT_SQL} FROM sessions s WHERE s.id = 's1'`);
    return select.pluck().get() ?? null;
  };

  test("is the first user row with content, by time, then id, active or not", () => {
    expect(
      contentFor([
        ["user", "later", 50],
        ["assistant", "no", 10],
        ["user", null, 20],
        ["user", "first", 40],
        ["user", "second", 40],
      ]),
    ).toBe("first");
    expect(contentFor([["assistant", "nobody", 1]])).toBeNull();
    expect(
      contentFor([
        ["user", "   ", 1],
        ["user", "no second choice", 2],
      ]),
    ).toBe("   ");
    expect(contentFor([["user", new Uint8Array([104, 105]), 1]])).toBe("hi");
  });

  test("is short, whatever the content", () => {
    expect(contentFor([["user", "x".repeat(100_000), 1]])).toHaveLength(63);
    expect(contentFor([["user", TIDY + "x".repeat(100_000), 1]])).toHaveLength(801);
  });

  test.each([700, 750, 799, 800, 801, 802])("gives the preview of a skill text of %i characters", (length) => {
    const text = skillTextOf(length);
    expect(previewOf(contentFor([["user", text, 1]]))).toBe(previewOf(text));
  });

  test("gives the preview of the whole content", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        TIDY,
        TIDY.toUpperCase(),
        PREFIX,
        ASKS,
        "\n",
        "\r\n",
        " ",
        "\u001e",
        "\u0000",
        "\u{1f600}",
        "[Runtime note:",
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.nat(500).map((length) => "w".repeat(length)),
    );
    const content = fc
      .tuple(fc.constantFrom("", TIDY, PREFIX), fc.array(piece, { maxLength: 8 }))
      .map(([start, pieces]) => start + pieces.join(""));
    fc.assert(
      fc.property(content, (text) => {
        expect(previewOf(contentFor([["user", text, 1]]))).toBe(previewOf(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe("preview of a recent user message", () => {
  test.each<[string, unknown, string]>([
    ["white space is collapsed", "first\n line  two", "first line two"],
    ["stripped", "  \u3000hi\t ", "hi"],
    ["80 characters", "x".repeat(80), "x".repeat(80)],
    ["81 characters", "x".repeat(81), `${"x".repeat(77)}...`],
    [
      "the texts of a list",
      [{ type: "text", text: "see" }, { type: "image_url" }, { type: "text", text: "this" }],
      "see this",
    ],
    ["a list without texts", [{ type: "image_url" }], "[multimodal content]"],
    ["a list with blank texts", [{ type: "text", text: " \n" }, { type: "text" }], "[multimodal content]"],
    ["odd entries of a list", ["x", null, 5, { type: "text", text: 5 }, { text: "untyped" }], "[multimodal content]"],
    ["an empty list", [], "[multimodal content]"],
    ["a skill invocation, runtime note off", `${TIDY}\n\n${ASKS}short\n\n[Runtime note: zz]`, "/tidy — short"],
    ["an object", { type: "text", text: "x" }, ""],
    ["null", null, ""],
    ["bytes", new Uint8Array([104]), ""],
  ])("%s", (_, content, preview) => {
    expect(recentUserPreview(content)).toBe(preview);
  });
});
