import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { LedgerError } from "../../../src/events/ledger-error.js";
import { workspaceKey } from "../../../src/store/queries/listing/search-sessions.js";
import { sanitizeFtsQuery } from "../../../src/store/search/sanitize-fts-query.js";
import { sanitizeTitle } from "../../../src/store/values/title.js";
import type { Example, ExampleRefusal, ExampleStep } from "./example-file.js";
import { decodeArgument, decodeValue, differences, type ExampleContext, pick } from "./example-values.js";
import { type OperationSignature, positionalArguments, signatureOf } from "./operation-signatures.js";
import { narrowContent, plantSql, queryRows, readContent, tableExists } from "./stored-rows.js";

/** Operations that need no store. */
const functions = { sanitizeTitle, sanitizeFtsQuery, workspaceKey };

/** What an example can do besides calling the store. */
export const PSEUDO_OPERATIONS: ReadonlySet<string> = new Set([
  "sql",
  "sql_query",
  "reopen",
  "make_files",
  "list_files",
  "table_exists",
]);

/** Operations whose values are stored as text, so that times in them are decimal text. */
const TEXT_OPERATIONS = new Set(["get_meta", "set_meta"]);

/** Opens the store under test. A lock of somebody else must be refused at once, as waiting takes real time. */
export type OpenStore = (options: { path: string; clock: () => number; lockPatience: 0 }) => object;

/** A running example: the open store, its files, and the frozen clock. */
interface Run {
  readonly open: () => object;
  store: object;
  readonly path: string;
  readonly directory: string;
  step: number;
}

type Outcome = { readonly returned: unknown } | { readonly thrown: unknown };

/** What the method of an operation is called on. */
function ownerOf(signature: OperationSignature, store: object): unknown {
  if (signature.place === "function") return functions;
  return signature.place === "store" ? store : Reflect.get(store, "delegations");
}

/** The method of that name, bound to its owner, or null where there is none. */
function bound(owner: unknown, name: string): ((...args: unknown[]) => unknown) | null {
  if (typeof owner !== "object" || owner === null) return null;
  const method: unknown = Reflect.get(owner, name);
  return typeof method === "function" ? (...args) => Reflect.apply(method, owner, args) as unknown : null;
}

/** Whether the store has the operation. */
export function hasOperation(signature: OperationSignature, store: object): boolean {
  return bound(ownerOf(signature, store), signature.method) !== null;
}

async function call(signature: OperationSignature, args: readonly unknown[], store: object): Promise<unknown> {
  const method = bound(ownerOf(signature, store), signature.method);
  if (!method) throw new Error(`The store has no ${signature.method}.`);
  const result = await method(...args);
  return signature.returnsNothing && result === undefined ? null : result;
}

/** Calls a documented operation with arguments by name. */
async function perform(operation: string, named: Readonly<Record<string, unknown>>, store: object): Promise<unknown> {
  const signature = signatureOf(operation);
  if (operation !== "async_delegation.restore_undelivered_completions") {
    return call(signature, positionalArguments(signature, named), store);
  }
  // The examples show what was put into the queue beside the result.
  const events: unknown[] = [];
  const count = await call(signature, [{ put: (event: unknown) => events.push(event) }], store);
  return { count, events };
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Error(`${JSON.stringify(value)} should be text.`);
  return value;
}

/** Closes a store. */
export async function closeStore(store: object): Promise<void> {
  await bound(store, "close")?.();
}

async function reopen(run: Run): Promise<null> {
  await closeStore(run.store);
  run.store = run.open();
  return null;
}

function makeFiles(run: Run, names: unknown): null {
  if (!Array.isArray(names)) throw new Error("make_files needs a list of names.");
  for (const name of names) writeFileSync(join(run.directory, text(name)), "");
  return null;
}

async function performPseudo(run: Run, operation: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  switch (operation) {
    case "sql":
      plantSql(run.path, text(args["sql"]));
      return null;
    case "sql_query":
      return queryRows(run.path, text(args["sql"]));
    case "table_exists":
      return tableExists(run.path, text(args["name"]));
    case "make_files":
      return makeFiles(run, args["names"]);
    case "list_files":
      return readdirSync(run.directory).sort();
    default:
      return reopen(run);
  }
}

async function outcomeOf(run: Run, step: ExampleStep, context: ExampleContext): Promise<Outcome> {
  const isText = TEXT_OPERATIONS.has(step.op);
  const named = Object.fromEntries(
    Object.entries(step.args).map(([name, value]) => [name, decodeArgument(value, context, isText)]),
  );
  try {
    const performed = PSEUDO_OPERATIONS.has(step.op)
      ? performPseudo(run, step.op, named)
      : perform(step.op, named, run.store);
    return { returned: await performed };
  } catch (error) {
    return { thrown: error };
  }
}

function refusalDifferences(thrown: unknown, expected: ExampleRefusal): string[] {
  if (!(thrown instanceof LedgerError)) throw thrown;
  return [
    ...differences(thrown.kind, expected.kind, "kind"),
    ...(expected.message === undefined ? [] : differences(thrown.message, expected.message, "message")),
  ];
}

function stepDifferences(outcome: Outcome, step: ExampleStep, context: ExampleContext): string[] {
  if (step.raises) {
    if ("thrown" in outcome) return refusalDifferences(outcome.thrown, step.raises);
    return [`a result where a refusal of kind ${step.raises.kind} was expected`];
  }
  if ("thrown" in outcome) throw outcome.thrown;
  const expected = decodeValue(step.returns, { ...context, step: null }, TEXT_OPERATIONS.has(step.op));
  const narrowed = step.pick === undefined ? outcome.returned : pick(outcome.returned, step.pick);
  return differences(narrowed, expected);
}

async function runStep(run: Run, step: ExampleStep, context: ExampleContext): Promise<void> {
  const label = `step ${String(run.step)}, ${step.op}`;
  try {
    const found = stepDifferences(await outcomeOf(run, step, context), step, context);
    expect(found, label).toEqual([]);
  } catch (error) {
    // A refusal that nobody expected: say in which step.
    if (error instanceof LedgerError) throw new Error(`${label}: ${error.kind}: ${error.message}`, { cause: error });
    throw error;
  }
}

function checkRows(run: Run, example: Example, context: ExampleContext): void {
  if (!example.rows) return;
  const expected = Object.fromEntries(
    Object.entries(example.rows).map(([table, rows]) => [
      table,
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, decodeValue(value, context, table === "state_meta")]),
        ),
      ),
    ]),
  );
  const content = narrowContent(readContent(run.path), example.id, example.rows);
  expect(differences(content, expected, "rows"), "final rows").toEqual([]);
}

/** The log must explain the tables, unless foreign rows were planted. */
async function checkVerification(run: Run, example: Example): Promise<void> {
  const verify = bound(run.store, "verify");
  if (!verify || example.steps.some((step) => step.op === "sql")) return;
  expect(await verify(), "verify()").toMatchObject({ ok: true });
}

/**
 * Runs one example in a fresh store with a clock that stands still during each step, and compares every result, every
 * refusal, and the final rows. Afterwards the store must verify. Fails with the places that differ.
 */
export async function runExample(example: Example, openStore: OpenStore): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-ledger-example-"));
  const path = join(folder, "state.db");
  const directory = join(folder, "transcripts");
  mkdirSync(directory);
  const clockAt = (step: number): number => example.clock?.[step] ?? 1_800_000_000.25 + 1000 * step;
  const open = (): object => openStore({ path, clock: () => clockAt(run.step), lockPatience: 0 });
  const run: Run = { open, store: {}, path, directory, step: 0 };
  const context = { clockAt, directory, pid: process.pid };
  try {
    run.store = open();
    for (const [index, step] of example.steps.entries()) {
      run.step = index;
      await runStep(run, step, { ...context, step: index });
    }
    checkRows(run, example, { ...context, step: null });
    await checkVerification(run, example);
  } finally {
    await closeStore(run.store);
    rmSync(folder, { recursive: true, force: true });
  }
}
