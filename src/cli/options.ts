import { InvalidArgumentError } from "commander";

/** Reads a whole number of at least `least` from the command line. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
    }
    return value;
  };
}

/** Reads a number of at least 0. */
export function positiveNumber(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new InvalidArgumentError("It must be a number, 0 or more.");
  return value;
}

/**
 * Reads a moment from the command line, as epoch seconds: a day (`2026-01-12`, its start in UTC) or a time with its zone
 * (`2026-01-12T09:15:00Z`).
 */
export function moment(text: string): number {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(text);
  const value = form === null ? Number.NaN : Date.parse(text);
  // The parser rolls 30 February over into March; a day that does not exist is a mistake here.
  const day = Date.parse(`${form?.[1] ?? ""}T00:00:00Z`);
  if (!Number.isFinite(value) || new Date(day).toISOString().slice(0, 10) !== form?.[1]) {
    throw new InvalidArgumentError("It must be a day (2026-01-12) or a time with its zone (2026-01-12T09:15:00Z).");
  }
  return value / 1000;
}

/** Collects an option that may be given several times. */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
