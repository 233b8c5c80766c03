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

/** Collects an option that may be given several times. */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
