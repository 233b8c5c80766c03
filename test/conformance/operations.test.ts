import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SessionDB } from "../../src/store/session-db.js";
import { deliberateDifferences, withDeliberateDifferences } from "./support/deliberate-differences.js";
import { readExamples } from "./support/example-file.js";
import { closeStore, hasOperation, PSEUDO_OPERATIONS, runExample } from "./support/example-runner.js";
import { operationSignatures, signatureOf } from "./support/operation-signatures.js";
import { narrowedTables } from "./support/stored-rows.js";

const examples = readExamples(new URL("data/operation-examples.json", import.meta.url));

describe("the worked examples of the documented operations", () => {
  for (const example of examples) {
    test(`${example.id}: ${example.title}`, async () => {
      await runExample(withDeliberateDifferences(example), (options) => SessionDB.open(options));
    });
  }
});

describe("the checklist of the API", () => {
  test("has the signature of every operation and argument of the examples", () => {
    const steps = examples.flatMap(({ id, steps }) => steps.map((step) => ({ id, ...step })));
    const unknown = steps
      .filter(({ op }) => !PSEUDO_OPERATIONS.has(op))
      .flatMap(({ id, op, args }) => {
        const { required, optional } = signatureOf(op);
        const absent = required.filter((name) => !(name in args) && name !== "queue");
        const extra = Object.keys(args).filter((name) => ![...required, ...optional].includes(name));
        return [
          ...absent.map((name) => `${id}: ${op} without ${name}`),
          ...extra.map((name) => `${id}: ${op} ${name}`),
        ];
      });
    expect(unknown).toEqual(["prune-filters: prune_sessions bogus"]);
  });

  test("says of every operation without a result that the examples show none", () => {
    const results = examples.flatMap(({ steps }) => steps).filter((step) => !PSEUDO_OPERATIONS.has(step.op));
    const wrong = results.filter(
      (step) => signatureOf(step.op).returnsNothing && step.raises === undefined && step.returns !== null,
    );
    expect(wrong).toEqual([]);
  });

  test("names every operation and every parameter once", () => {
    const operations = operationSignatures.map(({ operation }) => operation);
    expect(operations).toEqual([...new Set(operations)]);
    for (const { operation, required, optional } of operationSignatures) {
      const parameters = [...required, ...optional];
      expect(parameters, operation).toEqual([...new Set(parameters)]);
    }
  });

  test("is implemented, every operation of it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-ledger-probe-"));
    const store = SessionDB.open({ path: join(folder, "state.db"), clock: () => 0, lockPatience: 0 });
    try {
      const absent = operationSignatures.filter((signature) => !hasOperation(signature, store));
      expect(absent.map(({ method }) => method)).toEqual([]);
    } finally {
      await closeStore(store);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test("every deliberate difference belongs to an example and changes it", () => {
  for (const difference of deliberateDifferences) {
    const example = examples.find(({ id }) => id === difference.example);
    expect(example, difference.example).toBeDefined();
    if (example) expect(withDeliberateDifferences(example), difference.example).not.toEqual(example);
  }
});

test("every narrowed table belongs to an example that shows its rows", () => {
  const narrowed = Object.entries(narrowedTables).flatMap(([id, tables]) =>
    Object.keys(tables).map((table) => `${id}.${table}`),
  );
  const shown = examples.flatMap(({ id, rows }) => Object.keys(rows ?? {}).map((table) => `${id}.${table}`));
  expect(narrowed.filter((table) => !shown.includes(table))).toEqual([]);
});
