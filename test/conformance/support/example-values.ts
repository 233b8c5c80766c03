import { isPlainObject, PyFloat } from "../../../src/store/values/json-value.js";

/** What the placeholders of an example stand for. */
export interface ExampleContext {
  /** The clock during step K, epoch seconds. */
  clockAt(step: number): number;
  /** The step whose arguments are decoded; null for results and rows, where a bare `<ts>` means nothing. */
  readonly step: number | null;
  /** The scratch folder, `<dir>`. */
  readonly directory: string;
  /** The running process, `<pid>`. */
  readonly pid: number;
}

/** An expected number that is known to six decimals only. */
export class Approximately {
  constructor(readonly value: number) {}
}

/** Half of the sixth decimal, and what doubles near 1.8e9 can't hold (they are 2.4e-7 apart). */
const TOLERANCE = 0.75e-6;

const TIME = /<ts(?::(\d+))?([+-]\d+(?:\.\d+)?(?:e[+-]?\d+)?)?>/;
const WHOLE_TIME = new RegExp(`^${TIME.source}$`);
const EVERY_TIME = new RegExp(TIME.source, "g");

function time(step: string | undefined, offset: string | undefined, context: ExampleContext): number {
  const index = step === undefined ? context.step : Number(step);
  if (index === null) throw new Error("A time without a step stands outside of arguments.");
  return context.clockAt(index) + Number(offset ?? 0);
}

/** A float as decimal text: shortest round-trip digits, `.0` for whole values. */
function floatText(value: number): string {
  return Number.isInteger(value) ? `${String(value)}.0` : String(value);
}

function decodeText(text: string, context: ExampleContext, textColumn: boolean): unknown {
  if (text === "<pid>" && !textColumn) return context.pid;
  const whole = textColumn ? null : WHOLE_TIME.exec(text);
  if (whole) {
    const value = time(whole[1], whole[2], context);
    const rounded = context.step === null && !Number.isInteger(Number(whole[2] ?? 0));
    return rounded ? new Approximately(value) : value;
  }
  return text
    .replace(EVERY_TIME, (_, step?: string, offset?: string) => floatText(time(step, offset, context)))
    .replaceAll("<pid>", String(context.pid))
    .replaceAll("<dir>", context.directory);
}

function specialFloat(name: unknown): number {
  if (name === "nan") return Number.NaN;
  if (name === "inf") return Number.POSITIVE_INFINITY;
  if (name === "-inf") return Number.NEGATIVE_INFINITY;
  throw new Error(`{"$float": ${JSON.stringify(name)}} is unknown.`);
}

/** The value of `{"$kind": argument}`. */
function decodeSpecial(kind: string, argument: unknown): unknown {
  switch (kind) {
    case "$int":
      return BigInt(String(argument));
    case "$bytes":
      return new Uint8Array(Buffer.from(String(argument), "hex"));
    case "$float":
      return specialFloat(argument);
    case "$date":
      return new Date(Number(argument) * 1000);
    default:
      throw new Error(`{"${kind}": …} is unknown.`);
  }
}

function decodeObject(object: object, context: ExampleContext, textColumn: boolean): unknown {
  const keys = Reflect.ownKeys(object);
  const [only] = keys;
  if (keys.length === 1 && typeof only === "string" && only.startsWith("$")) {
    return decodeSpecial(only, Reflect.get(object, only));
  }
  const decoded = {};
  for (const key of keys) {
    const value: unknown = Reflect.get(object, key);
    // The record of the order of integer-like keys stands under a symbol.
    Reflect.set(decoded, key, typeof key === "symbol" ? value : decodeValue(value, context, textColumn));
  }
  return decoded;
}

/**
 * A value of the example file as the store takes or gives it: placeholders and special values replaced, floats that
 * hold a whole number left as {@link PyFloat}.
 *
 * @param textColumn the value is stored as text, so times are decimal text
 */
export function decodeValue(value: unknown, context: ExampleContext, textColumn = false): unknown {
  if (typeof value === "string") return decodeText(value, context, textColumn);
  if (Array.isArray(value)) return value.map((entry: unknown) => decodeValue(entry, context, textColumn));
  if (value instanceof PyFloat || typeof value !== "object" || value === null) return value;
  return decodeObject(value, context, textColumn);
}

/** {@link decodeValue} for one argument: a plain number where it is a number, whatever its spelling. */
export function decodeArgument(value: unknown, context: ExampleContext, textColumn = false): unknown {
  const decoded = decodeValue(value, context, textColumn);
  return decoded instanceof PyFloat ? decoded.value : decoded;
}

function pickKeys(value: unknown, keys: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => pickKeys(entry, keys));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}

/**
 * Narrows a result before comparison: a list keeps those keys of every object, an object keeps its keys and applies
 * the list below each of them, if there is one. Keys that are missing stay missing.
 */
export function pick(value: unknown, selection: unknown): unknown {
  if (Array.isArray(selection)) return pickKeys(value, selection);
  if (!isPlainObject(selection)) throw new Error(`${JSON.stringify(selection)} selects nothing.`);
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key in selection);
  return Object.fromEntries(
    kept.map(([key, below]) => [key, selection[key] === null ? below : pick(below, selection[key])]),
  );
}

/** A number or bigint as its mathematical value: safe integers as numbers. */
function numeric(value: unknown): unknown {
  if (value instanceof PyFloat) return value.value;
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value instanceof Approximately) return `about ${String(value.value)}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return JSON.stringify(value, (_, below: unknown) => {
    if (typeof below === "bigint") return { $int: String(below) };
    return below instanceof Approximately ? below.value : below;
  });
}

function arrayDifferences(actual: readonly unknown[], expected: readonly unknown[], path: string): string[] {
  const shared = expected.slice(0, actual.length);
  return [
    ...shared.flatMap((entry, index) => differences(actual[index], entry, `${path}[${String(index)}]`)),
    ...expected.slice(shared.length).map((entry) => `${path}: ${show(entry)} is missing`),
    ...actual.slice(shared.length).map((entry) => `${path}: ${show(entry)} is too much`),
  ];
}

function objectDifferences(actual: object, expected: object, path: string): string[] {
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].flatMap((key) => {
    const below = `${path}.${key}`;
    const given: unknown = Reflect.get(actual, key);
    const wanted: unknown = Reflect.get(expected, key);
    if (!Object.hasOwn(actual, key)) return [`${below}: missing, expected ${show(wanted)}`];
    if (!Object.hasOwn(expected, key)) return [`${below}: ${show(given)} where no key was expected`];
    return differences(given, wanted, below);
  });
}

/**
 * Where a result differs from what was expected, one line a place; empty when it does not. Numbers are compared by
 * value (1, 1.0, 1n), exactly unless {@link Approximately}; bytes with bytes; keys in any order, but a key that is
 * undefined is a key too much.
 */
export function differences(actual: unknown, expected: unknown, path = "result"): string[] {
  const given = numeric(actual);
  const wanted = numeric(expected);
  const unequal = [`${path}: ${show(given)} instead of ${show(wanted)}`];
  if (wanted instanceof Approximately) {
    return typeof given === "number" && Math.abs(given - wanted.value) <= TOLERANCE ? [] : unequal;
  }
  if (given instanceof Uint8Array && wanted instanceof Uint8Array) {
    return Buffer.compare(given, wanted) === 0 ? [] : unequal;
  }
  if (Array.isArray(given) && Array.isArray(wanted)) return arrayDifferences(given, wanted, path);
  if (isPlainObject(given) && isPlainObject(wanted)) return objectDifferences(given, wanted, path);
  return given === wanted || (Number.isNaN(given) && Number.isNaN(wanted)) ? [] : unequal;
}
