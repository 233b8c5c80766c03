import { expect, test } from "vitest";
import { IntegerRangeError, LoneSurrogateError } from "../../src/index.js";
import { ledgerFile } from "../support/ledger-file.js";

test.each([
  [2n ** 63n, "delta"],
  [-(2n ** 63n) - 1n, "absolute"],
] as const)("an event with the counter %s is refused: no column holds it", (input_tokens, mode) => {
  const { db, session } = ledgerFile();
  session("s");
  const head = db.log.head();
  const event = { type: "UsageRecorded", payload: { session_id: "s", mode, counters: { input_tokens } } } as const;
  expect(() => db.log.append(event)).toThrow(IntegerRangeError);
  expect(() => db.log.append(event)).toThrow(/for column input_tokens is outside signed 64 bits/);
  expect(db.log.head()).toEqual(head);
  expect(db.getSession("s")).toMatchObject({ input_tokens: 0 });
});

test("the largest and the smallest integer of a column are taken", () => {
  const { db, session } = ledgerFile();
  session("s");
  for (const input_tokens of [2n ** 63n - 1n, -(2n ** 63n)]) {
    db.log.append({
      type: "UsageRecorded",
      payload: { session_id: "s", mode: "absolute", counters: { input_tokens } },
    });
    expect(db.getSession("s")?.input_tokens).toBe(input_tokens);
  }
});

test("an event with a lone surrogate is refused", () => {
  const { db } = ledgerFile();
  expect(() => db.log.append({ type: "MetaSet", payload: { key: "a\ud800", value: "b" } })).toThrow(LoneSurrogateError);
  expect(db.log.head().position).toBe(0);
});
