import { expect } from "vitest";
import type { CaseFile } from "./case-file.js";
import { outcomeOf, type Run } from "./harness.js";
import { says } from "./says.js";
import { valueOf } from "./values.js";

/** One thing that must hold after a case was run; throws when it does not. */
export type Check = (run: Run) => void | Promise<void>;

/** All that must hold after a case: how it ended, its values, then its sentences. */
export function checksOf(file: CaseFile): [name: string, check: Check][] {
  const { outcome, values, says: sentences } = file.then;
  return [
    [
      `ends as ${outcome}`,
      (run) => {
        expect(outcomeOf(run)).toBe(outcome);
      },
    ],
    ...Object.entries(values).map(([name, value]): [string, Check] => [`value ${name}`, compare(name, value)]),
    ...sentences.map((sentence): [string, Check] => [sentence, saidIn(file.id, sentence)]),
  ];
}

function compare(name: string, value: unknown): Check {
  return (run) => {
    const found = valueOf(run, name);
    if (name.endsWith("_at_least")) expect(found).toBeGreaterThanOrEqual(Number(value));
    else if (name.endsWith("_contains")) expect(found).toContain(value);
    else expect(found).toEqual(value);
  };
}

function saidIn(id: string, sentence: string): Check {
  return async (run) => {
    const said = says[id]?.[sentence];
    if (said === undefined) throw new Error("Nobody checks this sentence");
    await said(run);
  };
}
