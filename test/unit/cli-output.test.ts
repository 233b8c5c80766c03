import { createColors } from "picocolors";
import { describe, expect, it } from "vitest";
import { jsonText } from "../../src/cli/output/json.js";
import { formatCost, formatCount } from "../../src/cli/output/numbers.js";
import { snippetLines } from "../../src/cli/output/snippet.js";
import { renderTable } from "../../src/cli/output/table.js";
import { displayWidth, fitText, oneLine, visibleText, wrapText } from "../../src/cli/output/text.js";
import { formatDuration, formatExactTime, formatTime } from "../../src/cli/output/time.js";

const plain = createColors(false);
const coloured = createColors(true);

describe("widths", () => {
  it.each([
    ["abc", 3],
    ["定时备份", 8],
    ["ひらがな", 8],
    ["한글", 4],
    ["ｆｕｌｌ", 8],
    ["é", 1],
    ["e\u0301", 1],
    ["👍🏽", 2],
    ["👨‍👩‍👧", 2],
    ["", 0],
  ])("%j takes %i columns", (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it("cuts between characters, never inside one, and says so", () => {
    expect(fitText("hello world", 8)).toBe("hello w…");
    expect(fitText("定时备份", 6)).toBe("定时…");
    expect(fitText("定时备份", 8)).toBe("定时备份");
    expect(fitText("👍🏽👍🏽", 3)).toBe("👍🏽…");
    expect(fitText("anything", 0)).toBe("");
  });

  it("wraps at spaces, and East Asian text anywhere but before closing punctuation", () => {
    expect(wrapText("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrapText("a\n\n  b", 8)).toEqual(["a", "", "  b"]);
    expect(wrapText("今天很冷，明天也冷。", 8)).toEqual(["今天很", "冷，明天", "也冷。"]);
    expect(wrapText("unbreakable-word", 6)).toEqual(["unbrea", "kable-", "word"]);
  });

  it("no wrapped line is wider than asked", () => {
    const text = "Mixed 混合文本 with words，以及標點。 and verylongwordsthatdonotfit 한국어 문장도 있습니다.";
    for (let columns = 2; columns < 40; columns++) {
      const lines = wrapText(text, columns);
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }
  });
});

describe("text of others", () => {
  it("cannot steer the terminal", () => {
    const text = visibleText("a\x1b[31mred\x07\x9b2J\u202eevil\r\nnext\tcol\x7f");
    expect(text).toBe("a␛[31mred␇\ufffd2Jevil\nnext    col␡");
  });

  it("fits on one line", () => {
    expect(oneLine("  a\n\n b\t c\x00 ")).toBe("a b c␀");
  });
});

describe("tables", () => {
  const columns = [
    { head: "ID", cell: (row: string[]) => row[0]! },
    { head: "TITLE", cell: (row: string[]) => row[1]!, least: 5 },
    { head: "N", cell: (row: string[]) => row[2]!, right: true },
  ];

  it("align wide characters", () => {
    const text = renderTable(
      columns,
      [
        ["a", "备份", "1"],
        ["b", "plain", "20"],
      ],
      { width: 80, style: plain },
    );
    expect(text).toBe(["ID  TITLE   N", "──  ─────  ──", "a   备份    1", "b   plain  20"].join("\n"));
  });

  it("fit the width: optional columns go, then others are shortened", () => {
    const wide = { head: "EXTRA", cell: () => "xxxxxxxxxx", optional: true };
    const rows = [["id-0001", "a title that is rather long", "1"]];
    const text = renderTable([...columns, wide], rows, { width: 24, style: plain });
    expect(text).not.toContain("EXTRA");
    expect(text).toContain("id-0001  a title tha…  1");
    for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(24);
  });

  it("keep their alignment with colours", () => {
    const painted = [{ ...columns[0]!, paint: coloured.red }, columns[2]!];
    const text = renderTable(painted, [["a", "", "1"]], { width: 80, style: coloured });
    expect(text.split("\n").at(-1)).toBe(`${coloured.red("a")}   1`);
  });
});

describe("JSON", () => {
  it("stays exact and valid", () => {
    expect(jsonText({ big: 9007199254740993n, gone: undefined, none: null, bytes: new Uint8Array([1, 2]) }, 0)).toBe(
      '{"big":9007199254740993,"none":null,"bytes":{"base64":"AQI="}}',
    );
    expect(jsonText([Infinity, -Infinity, NaN, 1.5], 0)).toBe('[{"$real":"inf"},{"$real":"-inf"},null,1.5]');
  });

  it("has no character that a terminal obeys", () => {
    const text = jsonText("\x1b[2J\x9b\x7f\u2028", 0);
    expect(text).toBe('"\\u001b[2J\\u009b\\u007f\\u2028"');
    expect(JSON.parse(text)).toBe("\x1b[2J\x9b\x7f\u2028");
  });

  it("is indented like JSON.stringify", () => {
    const value = { a: [1, { b: "x" }], c: {}, d: [] };
    expect(jsonText(value)).toBe(JSON.stringify(value, undefined, 2));
  });
});

describe("snippets", () => {
  it("mark matches without and with colours", () => {
    const layout = { style: plain, width: 80 };
    expect(snippetLines("the >>>last<<< ferry", "last", layout)).toEqual(["the «last» ferry"]);
    expect(snippetLines("每晚的>>>定时备份<<<", "定时备份", { style: coloured, width: 80 })).toEqual([
      `每晚的${coloured.bold(coloured.yellow("定时备份"))}`,
    ]);
  });

  it("carry a colour over a line break", () => {
    const lines = snippetLines(">>>alpha beta<<< gamma", "alpha", { style: coloured, width: 8 });
    expect(lines).toEqual([coloured.bold(coloured.yellow("alpha")), coloured.bold(coloured.yellow("beta")), "gamma"]);
  });

  it("get marks where the index gave none", () => {
    const layout = { style: plain, width: 80 };
    expect(snippetLines("Backup (daily)", "(daily) OR backup", layout)).toEqual(["«Backup» («daily»)"]);
    expect(snippetLines("nothing to mark", '"*', layout)).toEqual(["nothing to mark"]);
  });
});

describe("numbers and times", () => {
  it("are short", () => {
    expect(formatCount(3778)).toBe("3,778");
    expect(formatCount(null)).toBe("–");
    expect([formatCost(1.266), formatCost(0.0042), formatCost(0), formatCost(null)]).toEqual([
      "$1.27",
      "$0.0042",
      "$0.00",
      "–",
    ]);
    expect([formatDuration(0.44), formatDuration(12.2), formatDuration(185)]).toEqual(["0.4 s", "12 s", "3 min 5 s"]);
  });

  it("times are local, and odd ones no error", () => {
    const local = new Date(2026, 0, 12, 9, 5, 7).getTime() / 1000;
    expect(formatTime(local)).toBe("2026-01-12 09:05");
    expect(formatExactTime(local + 0.9)).toBe("2026-01-12 09:05:07");
    expect([formatTime(null), formatTime(Infinity), formatExactTime(1e300)]).toEqual(["–", "–", "–"]);
  });
});
