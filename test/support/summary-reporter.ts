import { writeSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** How a run ended, in test cases. */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Prints `N passed, N failed` (and `, N skipped` where there are any) as the very last line of a test run.
 *
 * What failed outside a test case counts as one failure each: a file that did not load, a suite whose hooks threw,
 * an error that nobody handled, a test that never finished, a run without tests. So `0 failed` means that the run
 * was good.
 */
export default class SummaryReporter implements Reporter {
  #counts: Counts | null = null;

  onInit(): void {
    // Other reporters, coverage and warnings print until the process ends; only its exit comes after all of them.
    process.once("exit", () => {
      if (this.#counts !== null) writeSync(1, `${summaryLine(this.#counts)}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.#counts = countTests(modules, unhandledErrors.length);
  }
}

function countTests(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors, skipped: 0 };
  if (modules.length === 0) counts.failed += 1;
  for (const module of modules) {
    if (module.errors().length > 0) counts.failed += 1;
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) counts.failed += 1;
    }
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === "pending" ? "failed" : state] += 1;
    }
  }
  return counts;
}

function summaryLine({ passed, failed, skipped }: Counts): string {
  const line = `${String(passed)} passed, ${String(failed)} failed`;
  return skipped > 0 ? `${line}, ${String(skipped)} skipped` : line;
}
