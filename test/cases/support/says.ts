import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { DuplicateConflictError, VersionConflictError } from "../../../src/store/log/log-errors.js";
import { NewerSchemaError } from "../../../src/store/connection/open-errors.js";
import { TitleInUseError } from "../../../src/store/rules/rule-errors.js";
import { runCli } from "../../support/cli.js";
import { answersTo, givenWorld, perform, type Run } from "./harness.js";
import { exported, isoTime, type Answer } from "./operations.js";
import type { World } from "./world.js";

/** A sentence of a case as code. */
type Said = (run: Run) => void | Promise<void>;

const search = (run: Run, index: number): NonNullable<Answer["search"]> => {
  const found = answersTo(run, "search")[index]?.search;
  if (found === undefined) throw new Error("The case has no such search");
  return found;
};
const contents = (world: World, session: string): unknown[] =>
  world.db.getMessages(session).map(({ content }) => content);

/** The sentences of every case, by its id. Each sentence of a case must be here, word for word. */
export const says: Readonly<Record<string, Readonly<Record<string, Said>>>> = {
  "ambiguous-prefix-is-refused": {
    "The refusal lists the candidates.": ({ answers }) => {
      const told = answers
        .filter(({ answer }) => answer.outcome === "ambiguous")
        .map(({ answer }) => answer.candidates);
      expect(told).toEqual(Array(2).fill(["20260302_090000_a1b2", "20260302_090000_a1c3"]));
    },
    "Percent sign and underscore stand for themselves.": ({ world }) => {
      expect(world.db.resolveSessionReference("%")).toEqual({ outcome: "not-found" });
      expect(world.db.resolveSessionReference("20260302_090000_a1b_")).toEqual({ outcome: "not-found" });
    },
    "Nothing is deleted.": ({ world }) => {
      expect(world.db.messageCount()).toBe(3);
    },
  },
  "append-survives-damaged-search-index": {
    "All three messages are stored.": ({ world }) => {
      expect(contents(world, "s-1")).toEqual([
        "the copper kettle whistles",
        "the kettle is off",
        "thank you",
        "and the copper pan?",
      ]);
    },
    "The first search either finds both messages or says that search is degraded; it does not pretend that there is nothing.":
      (run) => {
        const { total, degraded, notice } = search(run, 0);
        expect(total === 2 || (degraded && notice !== null)).toBe(true);
        // And when it is degraded it does find both, by looking at every message.
        expect(total).toBe(2);
      },
    "After the rebuild the search finds two messages and no note is shown.": (run) => {
      expect(search(run, 1)).toMatchObject({ total: 2, degraded: false, notice: null });
    },
  },
  "append-with-seen-version": {
    "The second writer is told the current version and can read what it missed.": ({ world, answers }) => {
      const conflict = answers[1]?.answer.error;
      expect(conflict).toBeInstanceOf(VersionConflictError);
      const { currentVersion, expectedVersion } = conflict as VersionConflictError & { expectedVersion: number };
      const missed = [...world.db.log.read({ streamId: "s-1" })].slice(expectedVersion, currentVersion);
      expect(missed).toMatchObject([{ payload: { message: { content: "from the first window" } } }]);
    },
    "A version ahead of the current one is a conflict too.": ({ answers }) => {
      expect(answers[2]?.answer.error).toBeInstanceOf(VersionConflictError);
    },
  },
  "clock-steps-back": {
    "The order is the same before and after the round trip.": (run) => {
      const [before, after] = answersTo(run, "show").map(({ shown }) => shown?.map(({ content }) => content));
      expect(before).toEqual(["measure both", "", "7", "8", "seven and eight"]);
      expect(after).toEqual(before);
    },
    "The times are shown as they were given.": (run) => {
      const given = run.file.given.messages?.map(({ at }) => isoTime(Date.parse(at ?? "") / 1000));
      for (const { shown } of answersTo(run, "show")) {
        expect(shown?.map(({ timestamp }) => isoTime(timestamp))).toEqual(given);
      }
    },
  },
  "erased-word-is-in-no-file": {
    "The second position still exists, with role and time, marked as erased.": ({ world }) => {
      const second = world.db.getMessages("s-1")[1];
      expect(second).toMatchObject({ role: "user", display_kind: "erased", content: "[erased]" });
      expect(second?.timestamp).toBeGreaterThan(0);
    },
    "Neither log, views, search index nor any side file holds the word once the erasure is reported as done.": ({
      world,
    }) => {
      const holding = (): string[] =>
        [...world.bytes()].filter(([, bytes]) => bytes.includes("quokkalantern")).map(([name]) => name);
      expect(holding()).toEqual([]);
      world.close();
      expect(holding()).toEqual([]);
      expect(world.db.verify({ deep: true }).ok).toBe(true);
    },
  },
  "export-import-round-trip": {
    "Both files are the same byte for byte.": ({ world }) => {
      expect(world.files.get("file-1")).not.toBe("");
      expect(world.files.get("file-2")).toBe(world.files.get("file-1"));
    },
    "Multi-part content, tool calls, reasoning, undone state, archive state, times and usage are all kept.": async ({
      file,
      world,
    }) => {
      const original = await givenWorld(file);
      try {
        const everything = ({ db }: World): unknown[] => [
          db.getSession("s-1"),
          db.getMessages("s-1", { include_inactive: true }),
          db.usageByModel(),
        ];
        expect(everything(world)).toEqual(everything(original));
        expect(world.db.getMessages("s-1", { include_inactive: true }).map(({ active }) => active)).toEqual([
          1, 1, 1, 1, 0,
        ]);
      } finally {
        original.remove();
      }
    },
  },
  "family-and-helper-totals": {
    "Every session is counted once in the total of the store.": ({ world }) => {
      const ids = world.db.sessionIds();
      const sum = ids.reduce((total, id) => {
        const row = world.db.getSession(id);
        return total + Number(row?.input_tokens) + Number(row?.output_tokens);
      }, 0);
      expect(sum).toBe(180);
    },
  },
  "hit-names-the-session-that-holds-it": {
    "Title and time are those of the session that holds the message, not of its oldest ancestor.": (run) => {
      const { hits, titles } = search(run, 0);
      expect(titles).toEqual(["harbour plan #3"]);
      expect(hits.map(({ session_started }) => isoTime(session_started))).toEqual(["2026-02-01T08:00:00Z"]);
    },
    "If hits were left out, their number is told.": ({ world }) => {
      const { hits, total } = world.db.search("the", { limit: 1 });
      expect([hits.length, total]).toEqual([1, 3]);
    },
  },
  "import-twice-adds-nothing": {
    "The two equal messages of the first session are both still there.": ({ world }) => {
      expect(contents(world, "s-1")).toEqual(["high water at six", "high water at six"]);
    },
    "The report tells new, known and conflicting apart.": ({ world, answers }) => {
      const again = answers[0]?.answer.imported;
      expect(again).toMatchObject({ imported_ids: [], skipped_ids: ["s-2", "s-1"], errors: [] });
      world.db.deleteSession("s-2");
      world.db.appendMessage({ session_id: "s-1", role: "user", content: "and low water at noon" });
      const changed = world.db.importSessions(exported(world, "file-1"));
      expect(changed).toMatchObject({ imported_ids: [], skipped_ids: ["s-2", "s-1"], erased_ids: ["s-2"] });
      expect(world.db.messageCount()).toBe(3);
      // Beside what was deleted, the session that is another now must be told from the one that is the same.
      const { erased_ids, ...rest } = changed;
      const { messages, ...same } = again ?? { messages: 0 };
      expect([erased_ids, messages]).toEqual([["s-2"], 0]);
      expect(rest).not.toEqual(same);
    },
  },
  "interrupted-rebuild-is-not-complete": {
    "On the next opening the rebuild is finished, or reading is refused until it is; a part is never shown as the whole.":
      ({ world }) => {
        // A rebuild is one transaction: interrupted, it has not been.
        expect(world.count("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%\\_\\_next' ESCAPE '\\'")).toBe(0);
        expect(world.db.getMessages("s-1").map(({ content }) => content)).toEqual(
          Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`),
        );
        expect(world.db.verify()).toMatchObject({ ok: true });
      },
    "The log is unchanged.": ({ world, eventsBefore }) => {
      expect(eventsBefore).toBe(3001);
      expect(world.db.log.head().events).toBe(eventsBefore);
    },
  },
  "list-and-stats-agree": {
    "For every filter that both know, the total of the list equals the number in the statistics.": ({ world }) => {
      const { db } = world;
      for (const source of [undefined, "cli", "telegram", "cron", "helper"]) {
        for (const filter of [{}, { include_archived: true }, { archived_only: true }]) {
          const rows = db.listSessionsRich({ ...filter, source, limit: -1 });
          expect(rows).toHaveLength(db.sessionCount({ ...filter, source, exclude_children: true }));
          if (source === undefined) continue;
          const counted = db.sessionCountBySource({ ...filter, exclude_children: true })[source] ?? 0;
          expect(rows).toHaveLength(counted);
        }
      }
    },
    "The default list tells how many sessions it hides and why.": async (run) => {
      expect(answersTo(run, "list")[1]).toMatchObject({ listed_in_all: 280 });
      const { stdout } = await runCli(["sessions", "list", "--db", run.world.path]);
      expect(stdout).toMatch(/\b280\b/);
      expect(stdout).toMatch(/\b20\b.*archived/);
    },
  },
  "lone-half-of-a-character-pair": {
    "All four messages are stored; the bad character is kept or replaced by the usual substitute, by one stated rule.":
      ({ world }) => {
        // Text gets the substitute; JSON text keeps the half as an escape, which is how JSON can say it.
        const shown = world.db.getMessages("s-1");
        expect(shown).toHaveLength(4);
        expect(shown[0]?.content).toBe("before \ufffd after");
        expect(shown[1]?.tool_calls).toEqual([{ id: "c-1", name: "note", arguments: { text: "edge \udc00 case" } }]);
      },
    "No text is cut at the null.": ({ world }) => {
      expect(contents(world, "s-1")[2]).toBe("and a null: \0 end");
      expect(world.count("SELECT length(CAST(content AS BLOB)) FROM messages WHERE id = 3")).toBe(17);
    },
    "The export is valid.": ({ world }) => {
      const text = world.files.get("file-1") ?? "";
      expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
      expect(JSON.parse(text)).toEqual(world.db.exportAll());
    },
  },
  "missing-column-despite-version": {
    "The missing field is added although the number says that it is there.": ({ world }) => {
      expect(world.db.getMessages("s-1")).toMatchObject([{ reasoning: null }, { reasoning: "because" }]);
    },
    "A look-only command before that shows the session or says that an upgrade is needed; it does not show an empty list.":
      ({ answers }) => {
        const { listed, error } = answers[0]?.answer ?? {};
        expect(listed ?? (error instanceof Error ? error.message : "")).toContain(listed ? "s-1" : "reasoning");
      },
  },
  "newer-store-is-refused-unchanged": {
    "The refusal names the version found and the one that is known.": ({ answers }) => {
      for (const { answer } of answers.slice(0, 2)) {
        expect(answer.error).toBeInstanceOf(NewerSchemaError);
        expect((answer.error as Error).message).toContain("999");
        expect((answer.error as Error).message).toContain("23");
      }
    },
    "Nothing is written, not even the number.": ({ world, answers }) => {
      expect(answers[2]?.answer.files).toEqual([]);
      expect(world.count("SELECT count(*) FROM messages")).toBe(1);
    },
  },
  "nothing-is-deleted-by-default": {
    "With default settings no session is removed, however old.": ({ world }) => {
      expect(contents(world, "s-old")).toEqual(["the long winter"]);
      world.now += 50 * 365 * 86_400;
      world.close();
      expect(world.db.sessionIds()).toEqual(["s-old"]);
    },
  },
  "one-bad-entry-in-the-middle": {
    "Entries six to ten are shown.": ({ answers }) => {
      expect(answers[0]?.answer.shown?.map(({ content }) => content).slice(-5)).toEqual([
        "entry 6",
        "entry 7",
        "entry 8",
        "entry 9",
        "entry 10",
      ]);
    },
    "The bad position is named, and the doctor ends with a failure status.": ({ answers, world }) => {
      const { ok, chain } = answers[2]?.answer.verified ?? {};
      expect(ok).toBe(false);
      expect(chain?.problem).toMatchObject({ position: world.damaged[0], problem: "payload changed" });
    },
    "Nothing is written over the bad entry.": ({ world }) => {
      expect(() => world.db.rebuild()).toThrow();
      world.db.appendMessage({ session_id: "s-1", role: "user", content: "entry 11" });
      const [position = 0] = world.damaged;
      expect(world.count(`SELECT length(payload) FROM ledger_events WHERE position = ${position}`)).toBe(20);
      // The tables do not read the log: they still have the text that the entry lost.
      expect(contents(world, "s-1")).toHaveLength(11);
    },
  },
  "prune-a-chain": {
    "The preview changes nothing and names the same sessions.": ({ answers }) => {
      expect(answers[0]?.answer.pruned).toEqual(answers[1]?.answer.pruned);
    },
    "The young continuation is readable and is found by cedar.": ({ world }) => {
      expect(contents(world, "s-c")).toEqual(["cedar"]);
      expect(world.db.search("cedar").hits.map(({ session_id }) => session_id)).toEqual(["s-c"]);
    },
    "The open session is kept and its number is told.": ({ answers, world }) => {
      expect(answers.map(({ answer }) => answer.pruned?.open)).toEqual([1, 1]);
      expect(contents(world, "s-o")).toEqual(["olive"]);
    },
  },
  "rebuild-has-no-side-effects": {
    "The deleted session does not come back.": async ({ world }) => {
      expect(world.db.getSession("s-2")).toBeNull();
      expect(world.db.wasDeleted("s-2")).toBe(true);
      // Whatever a hook is told comes in the next turn of the event loop.
      await setImmediate();
      expect(world.hookCalls).toBe(0);
    },
    "Two rebuilds give the same views, byte for byte.": ({ world }) => {
      const once = world.dump();
      world.db.rebuild();
      expect(world.dump()).toBe(once);
    },
  },
  "resume-after-ancestor-deleted": {
    "The session opens with its own messages.": ({ answers }) => {
      expect(answers[0]?.answer.shown?.map(({ content }) => content)).toEqual(["summary: old words", "new words"]);
    },
    "The missing ancestor is at most a note.": ({ answers, world }) => {
      expect(answers.map(({ answer }) => answer.outcome)).toEqual(["ok", "stored"]);
      expect(world.db.getResumeConversations("s-b")[1]).toHaveLength(3);
    },
  },
  "resume-follows-continuations": {
    "Continuations made by compression are followed; branches and helpers are not.": ({ world }) => {
      expect(world.db.getCompressionLineage("s-a")).toEqual(["s-a", "s-b", "s-c"]);
      expect(world.db.resolveResumeSessionId("s-e")).toBe("s-e");
    },
    "The answer tells that an older reference led to the continuation.": ({ answers }) => {
      const told = answers.map(({ answer }) => [answer.requested, answer.session]);
      expect(told).toEqual([
        ["s-a", "s-c"],
        ["s-a", "s-c"],
        ["s-d", "s-d"],
      ]);
    },
  },
  "same-key-is-stored-once": {
    "The second append answers with the message of the first.": ({ answers }) => {
      expect(answers[1]?.answer.message_id).toBe(answers[0]?.answer.message_id);
    },
    "Equal text with another key is another message.": ({ answers }) => {
      expect(answers[2]?.answer.message_id).not.toBe(answers[0]?.answer.message_id);
    },
    "The same key with other text is a conflict and changes nothing.": ({ answers, world }) => {
      expect(answers[3]?.answer.error).toBeInstanceOf(DuplicateConflictError);
      expect(contents(world, "s-1")).toEqual(["go on", "go on"]);
    },
  },
  "search-everyday-punctuation": {
    "No query is refused because of its punctuation and none shows an error of the search engine.": ({ answers }) => {
      expect(answers.map(({ answer }) => answer.outcome)).toEqual(answers.map(() => "ok"));
      for (const { answer } of answers) expect(answer.search?.notice ?? "").not.toMatch(/fts5|syntax error|sqlite/i);
    },
    "#lighthouse finds at least the message that holds it.": (run) => {
      const { hits } = search(run, 5);
      expect(hits.map(({ id }) => run.world.db.getMessages("s-1")[id - 1]?.content)).toContain(
        "see #lighthouse for more",
      );
    },
    "A query made of punctuation only gives a clear answer: nothing to search for.": (run) => {
      expect(search(run, 11)).toMatchObject({ hits: [], total: 0, route: "empty", notice: "Nothing to search for." });
    },
  },
  "search-phrase-without-spaces": {
    "All four messages with the phrase are found, the one with a space around it and the three without.": (run) => {
      const ids = search(run, 0).hits.map(({ id }) => id);
      expect(ids.sort((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    },
    "The two messages that hold only one half of the phrase are not hits.": (run) => {
      expect(search(run, 0).total).toBe(4);
    },
  },
  "split-keeps-pending-messages": {
    "All five messages are in the ended session, in order.": ({ world }) => {
      expect(contents(world, "s-1")).toEqual(["one", "two", "three", "four", "five"]);
    },
    "The continuation starts with the summary and keeps source, user, chat, thread and directory of its parent.": ({
      world,
    }) => {
      const place = (id: string): unknown[] => {
        const row = world.db.getSession(id);
        return [row?.source, row?.user_id, row?.chat_id, row?.thread_id, row?.cwd];
      };
      expect(contents(world, "s-2")).toEqual(["three wishes so far"]);
      expect(place("s-2")).toEqual(place("s-1"));
    },
    "If the split fails at any point, the session is still open with its three messages and there is no continuation.":
      async ({ file }) => {
        const split = { ...(file.when as { op: string }) };
        const faults = [
          // The last message to keep, the hand-off, and the end of the session cannot be written.
          {
            ...split,
            pending: [
              { key: "k-4", role: "assistant", content: "four" },
              { role: null, content: "" },
            ],
          },
          { ...split, continuation: "s-1" },
          { ...split, summary: undefined, continuation: "\ud800" },
        ];
        for (const step of faults) {
          const world = await givenWorld(file);
          try {
            expect((await perform(world, step)).outcome).toBe("refused");
            expect(world.db.sessionIds()).toEqual(["s-1"]);
            expect(world.db.getSession("s-1")?.ended_at).toBeNull();
            expect(contents(world, "s-1")).toEqual(["one", "two", "three"]);
            // And it can be done again.
            expect((await perform(world, split)).outcome).toBe("ok");
          } finally {
            world.remove();
          }
        }
      },
  },
  "title-conflict-automatic-and-manual": {
    "The second automatic title gets the next free number.": ({ world }) => {
      expect(world.db.getSessionTitle("s-2")).toBe("garden plan #2");
      expect(world.db.setAutoTitle("s-3", "garden plan")).toBe("garden plan #3");
    },
    "The rename by hand is refused and the refusal names the other session, its source and whether it is archived.": ({
      answers,
      world,
    }) => {
      const { error } = answers[0]?.answer ?? {};
      expect(error).toBeInstanceOf(TitleInUseError);
      expect((error as TitleInUseError).session).toEqual({ id: "s-1", source: "cli", archived: false });
      world.db.setSessionArchived("s-1", true);
      expect(() => world.db.setSessionTitle("s-2", "garden plan")).toThrow(
        expect.objectContaining({ session: { id: "s-1", source: "cli", archived: true } }),
      );
    },
  },
  "undone-message-not-in-context": {
    "The undone turn is in no history, no search and no context.": (run) => {
      nothingUndoneIsSeen(run.world);
    },
    "The view for auditing shows it, marked as undone.": ({ answers }) => {
      expect(answers[3]?.answer.shown?.map(({ content, active }) => [content, active])).toEqual([
        ["paint the fence green", 1],
        ["green it is", 1],
        ["no, paint it red", 0],
        ["red then", 0],
      ]);
    },
    "The same holds after a restart and after a rebuild of the views.": ({ world }) => {
      world.close();
      nothingUndoneIsSeen(world);
      world.db.rebuild();
      nothingUndoneIsSeen(world);
    },
  },
  "usage-after-model-switch": {
    "The sum over models equals the total of the session.": ({ world, answers }) => {
      const row = world.db.getSession("s-1");
      expect(answers[0]?.answer.stats?.total).toBe(Number(row?.input_tokens) + Number(row?.output_tokens));
    },
    "No pair of model and provider is shown that was never used.": ({ answers }) => {
      expect(Object.keys(answers[0]?.answer.stats?.by_model ?? {}).sort()).toEqual([
        "model-a/provider-x",
        "model-b/provider-y",
      ]);
    },
  },
  "usage-steps-and-running-totals": {
    "A running total replaces the one before; a step is added.": ({ world }) => {
      world.db.updateTokenCounts("s-1", { input_tokens: 310, absolute: true });
      world.db.updateTokenCounts("s-2", { input_tokens: 10 });
      expect(["s-1", "s-2"].map((id) => world.db.getSession(id)?.input_tokens)).toEqual([310, 310]);
    },
  },
};

function nothingUndoneIsSeen(world: World): void {
  const { db } = world;
  const texts = (value: unknown): string => JSON.stringify(value);
  expect(texts(db.getMessages("s-1"))).not.toContain("red");
  expect(texts(db.getMessagesAsConversation("s-1"))).not.toContain("red");
  expect(texts(db.exportSession("s-1")?.messages)).not.toContain("red");
  expect(db.search("red").total).toBe(0);
  const green = db.search("green");
  expect(green.total).toBe(2);
  expect(texts(green.hits)).not.toContain("red");
}
