import picocolors from "picocolors";
import type { Io, Output } from "../io.js";

/** Functions that colour a text, or leave it as it is where there are no colours. */
export type Style = ReturnType<typeof picocolors.createColors>;

/** The colours for an output: only on a terminal that has some, and never with `NO_COLOR`. */
export function styleOf(io: Io, output: Output = io.stdout): Style {
  const { env } = io;
  return picocolors.createColors(output.terminal !== null && !env["NO_COLOR"] && env["TERM"] !== "dumb");
}

const DEFAULT_COLUMNS = 80;
const LEAST_COLUMNS = 40;

/** How wide an output may be: the terminal's columns, else `COLUMNS`, else 80. */
export function widthOf(io: Io): number {
  const columns = io.stdout.columns ?? Number.parseInt(io.env["COLUMNS"] ?? "", 10);
  return Number.isSafeInteger(columns) && columns > 0 ? Math.max(columns, LEAST_COLUMNS) : DEFAULT_COLUMNS;
}
