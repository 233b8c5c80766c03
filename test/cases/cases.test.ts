import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LedgerError } from "../../src/events/index.js";
import { NewerSchemaError } from "../../src/store/connection/open-errors.js";
import { sharedPath } from "../support/shared.js";
import { readCases } from "./support/case-file.js";
import { checksOf } from "./support/checks.js";
import { runCase, type Run } from "./support/harness.js";
import { notYet } from "./support/not-yet.js";
import { says } from "./support/says.js";

const cases = readCases();
const runnable = cases.filter(({ id }) => notYet[id] === undefined);

/** Cases that leave a file that is not whole: it is opened and read, but nothing can be made from its log again. */
const SPOILT = new Set(["one-bad-entry-in-the-middle", "missing-column-despite-version"]);
/** Cases whose file is refused, however often it is opened. */
const REFUSED = new Set(["newer-store-is-refused-unchanged"]);

describe.each(runnable)("$id: $title", (file) => {
  let run: Run;
  beforeAll(async () => {
    run = await runCase(file);
  });
  afterAll(() => run.world.remove());

  test("looking changed nothing, and what was refused left no trace", () => {
    expect(run.broken).toEqual([]);
  });

  if (REFUSED.has(file.id)) {
    test("what was refused is refused again after a restart", () => {
      run.world.close();
      expect(() => run.world.db).toThrow(NewerSchemaError);
    });
  } else {
    test("what was acknowledged is there after a restart", () => {
      run.world.close();
      const before = run.world.dump();
      run.world.db.sessionIds();
      expect(run.world.dump()).toBe(before);
    });

    test(SPOILT.has(file.id) ? "nothing is made from a spoilt log" : "the views can be made again from the log", () => {
      const { db } = run.world;
      const before = run.world.dump();
      if (SPOILT.has(file.id)) {
        expect(() => db.rebuild()).toThrow(LedgerError);
      } else {
        expect(db.verify({ deep: true })).toMatchObject({ ok: true });
        db.rebuild();
      }
      expect(run.world.dump()).toBe(before);
    });
  }

  // The sentences may go on from where the case ended, so they come last.
  for (const [name, check] of checksOf(file)) {
    const reason = notYet[`${file.id} > ${name}`];
    if (reason === undefined) {
      test(name, async () => {
        await check(run);
      });
    } else {
      test(`not yet (${reason}): ${name}`, async () => {
        await expect(async () => check(run), "this holds now: take it off the list").rejects.toThrow();
      });
    }
  }
});

const waiting = cases.filter(({ id }) => notYet[id] !== undefined);

test.each(waiting)("$id is not yet possible", async (file) => {
  await expect(runCase(file), "this can be run now: take it off the list").rejects.toThrow("There is no operation");
});

test("everything on the list is a case or a check of a case", () => {
  const known = cases.flatMap((file) => [file.id, ...checksOf(file).map(([name]) => `${file.id} > ${name}`)]);
  expect(Object.keys(notYet).filter((key) => !known.includes(key))).toEqual([]);
});

test("every sentence that is checked is one of a case", () => {
  const sentences = Object.entries(says).flatMap(([id, checks]) => Object.keys(checks).map((text) => `${id}: ${text}`));
  const known = runnable.flatMap(({ id, then }) => then.says.map((text) => `${id}: ${text}`));
  expect(sentences.sort()).toEqual(known.sort());
});

const shared = sharedPath("cases");
test.skipIf(shared === null)("the cases are those of the shared collection", () => {
  const folder = shared ?? "";
  const theirs = readdirSync(folder).filter((name) => name.endsWith(".json"));
  expect(theirs.sort()).toEqual(cases.map(({ id }) => `${id}.json`));
  expect(cases).toEqual(theirs.map((name): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"))));
});
