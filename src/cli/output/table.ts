import Table from "cli-table3";
import { displayWidth, fitText } from "./text.js";
import type { Style } from "./style.js";

/** A column of a table for people. */
export interface TableColumn<Row> {
  readonly head: string;
  /** The text of a cell, on one line and without control characters. */
  readonly cell: (row: Row) => string;
  /** Numbers stand to the right. */
  readonly right?: boolean;
  /** The column may be made as narrow as this; by default it keeps its width. */
  readonly least?: number;
  /** Left out when the table would be too wide with it. */
  readonly optional?: boolean;
  /** Colours the cell. */
  readonly paint?: (text: string, row: Row) => string;
}

const GAP = 2;

/**
 * A table without frame that fits into so many columns: optional columns go first, then the widest of those that may be
 * narrower are shortened.
 */
export function renderTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  { width, style }: { readonly width: number; readonly style: Style },
): string {
  const { shown, widths } = layout(columns, rows, width);
  const table = new Table({
    head: shown.map(({ head }, index) => style.dim(fitText(head, widths[index] ?? 0))),
    colWidths: widths,
    colAligns: shown.map(({ right }) => (right === true ? "right" : "left")),
    chars: PLAIN,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
  });
  for (const row of rows) {
    table.push(
      shown.map(({ cell, paint }, index) => {
        const text = fitText(cell(row), widths[index] ?? 0);
        return paint === undefined ? text : paint(text, row);
      }),
    );
  }
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** No frame: a rule under the heads, two spaces between columns. */
const PLAIN = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "─",
  "mid-mid": " ".repeat(GAP),
  right: "",
  "right-mid": "",
  middle: " ".repeat(GAP),
};

interface Layout<Row> {
  readonly shown: readonly TableColumn<Row>[];
  readonly widths: number[];
}

function layout<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], width: number): Layout<Row> {
  const natural = columns.map(({ head, cell }) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(cell(row))), displayWidth(head)),
  );
  const everything = { shown: columns, widths: natural };
  const chosen = total(natural) <= width ? everything : withoutOptional(everything);
  return { ...chosen, widths: narrowed(chosen, width) };
}

function withoutOptional<Row>({ shown, widths }: Layout<Row>): Layout<Row> {
  const kept = shown.map(({ optional }) => optional !== true);
  return { shown: shown.filter((_, index) => kept[index]), widths: widths.filter((_, index) => kept[index]) };
}

function narrowed<Row>({ shown, widths }: Layout<Row>, width: number): number[] {
  const result = [...widths];
  for (let excess = total(result) - width; excess > 0; excess--) {
    let widest = -1;
    for (const [index, { least }] of shown.entries()) {
      const now = result[index] ?? 0;
      if (least !== undefined && now > least && now > (result[widest] ?? 0)) widest = index;
    }
    if (widest < 0) break;
    result[widest] = (result[widest] ?? 0) - 1;
  }
  return result;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(widths.length - 1, 0);
}
