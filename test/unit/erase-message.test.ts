import { describe, expect, test } from "vitest";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MessageErasedError } from "../../src/store/commands/append-message.js";
import { EventNotAllowedError, MessageNotFoundError, SessionNotFoundError } from "../../src/store/rules/rule-errors.js";
import { transcriptStore, type TranscriptStore } from "../support/transcript-store.js";

const SECRET = "quokkalantern";

/** The files of the store, side files too, that hold the secret. */
function filesWithSecret({ path }: TranscriptStore): string[] {
  const folder = dirname(path);
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(SECRET));
}

function contents({ db }: TranscriptStore, session = "s1"): unknown[] {
  return db.getMessages(session, { include_inactive: true }).map(({ content }) => content);
}

describe("eraseMessage refuses", () => {
  test("an unknown session", () => {
    const { db } = transcriptStore();
    expect(() => db.eraseMessage("nobody", 1)).toThrow(SessionNotFoundError);
  });

  test("a message of another session, and changes nothing", () => {
    const store = transcriptStore();
    store.session("s1");
    store.session("s2");
    const id = store.say("s2", SECRET);
    const head = store.db.log.head();
    expect(() => store.db.eraseMessage("s1", id)).toThrow(MessageNotFoundError);
    expect(store.db.log.head()).toEqual(head);
    expect(contents(store, "s2")).toEqual([SECRET]);
  });

  test("an emitted event whose rows are not what an erasure leaves", () => {
    const store = transcriptStore();
    store.session("s1");
    const message_id = store.say("s1", SECRET);
    const rows = { from_id: 1, through_id: 1, messages: [], message_count: 1, tool_call_count: 0 };
    expect(() =>
      store.db.log.append({ type: "MessageErased", payload: { session_id: "s1", message_id, ...rows } }),
    ).toThrow(EventNotAllowedError);
    store.db.log.append({ type: "MessageErased", payload: { session_id: "s1", message_id } });
    expect(contents(store)).toEqual(["[erased]"]);
  });
});

describe("an erased message", () => {
  test("keeps its place and loses its words, everywhere", () => {
    const store = transcriptStore();
    const { db } = store;
    store.session("s1");
    store.say("s1", "before");
    const id = db.appendMessage({
      session_id: "s1",
      role: "assistant",
      content: SECRET,
      tool_calls: [{ id: "c1", name: SECRET, arguments: {} }],
      tool_name: SECRET,
      reasoning: SECRET,
      reasoning_details: [SECRET],
      api_content: SECRET,
      display_metadata: { [SECRET]: 1 },
      token_count: 7,
      platform_message_id: "p-9",
    });
    db.setMessageReaction("s1", id, SECRET);
    store.say("s1", "after");
    expect(filesWithSecret(store)).not.toEqual([]);
    const before = db.getSession("s1");

    expect(db.eraseMessage("s1", id)).toBe(true);
    expect(db.getMessages("s1")[1]).toMatchObject({
      id,
      role: "assistant",
      timestamp: 1000,
      content: "[erased]",
      display_kind: "erased",
      tool_calls: null,
      reasoning: null,
      display_metadata: null,
      token_count: 7,
      platform_message_id: "p-9",
      active: 1,
    });
    expect(db.getSession("s1")).toEqual(before);
    expect(db.search(SECRET).total).toBe(0);
    expect(filesWithSecret(store)).toEqual([]);
    expect(db.verify({ deep: true })).toMatchObject({ ok: true, chain: { erased: 2 } });
  });

  test("is erased once; what is said about it afterwards can be erased again", () => {
    const store = transcriptStore();
    store.session("s1");
    const id = store.say("s1", SECRET);
    expect(store.db.eraseMessage("s1", id)).toBe(true);
    expect(store.db.eraseMessage("s1", id)).toBe(false);
    store.db.setMessageReaction("s1", id, SECRET);
    expect(store.db.eraseMessage("s1", id)).toBe(true);
    expect(filesWithSecret(store)).toEqual([]);
  });

  test("stays undone or compacted, and its id is not given out again", () => {
    const store = transcriptStore();
    const { db } = store;
    store.session("s1");
    const compacted = store.say("s1", SECRET);
    db.archiveAndCompact("s1", [{ role: "user", content: "summary" }]);
    const undone = store.say("s1", SECRET);
    db.rewindToMessage("s1", undone);
    db.eraseMessage("s1", compacted);
    db.eraseMessage("s1", undone);
    const flags = db.getMessages("s1", { include_inactive: true }).map(({ active, compacted: c }) => [active, c]);
    expect(flags).toEqual([
      [0, 1],
      [1, 0],
      [0, 0],
    ]);
    expect(filesWithSecret(store)).toEqual([]);
    expect(store.say("s1", "next")).toBe(undone + 1);
  });

  test("may have come with others in one event: those stay, in the tables and after a rebuild", () => {
    const store = transcriptStore();
    const { db } = store;
    store.session("s1");
    store.say("s1", "gone");
    db.replaceMessages("s1", [
      { role: "user", content: "one" },
      { role: "user", content: SECRET },
      { role: "user", content: "three" },
    ]);
    store.say("s1", "four");
    expect(db.eraseMessage("s1", 3)).toBe(true);
    expect(contents(store)).toEqual(["one", "[erased]", "three", "four"]);
    expect(filesWithSecret(store)).toEqual([]);
    db.rebuild();
    expect(contents(store)).toEqual(["one", "[erased]", "three", "four"]);
    // The text of the others now stands in the event of the first erasure.
    expect(db.eraseMessage("s1", 4)).toBe(true);
    expect(contents(store)).toEqual(["one", "[erased]", "[erased]", "four"]);
    expect(db.eraseMessage("s1", 3)).toBe(false);
  });

  test("may have been replaced: its text goes from the log all the same", () => {
    const store = transcriptStore();
    store.session("s1");
    const id = store.say("s1", SECRET);
    store.db.replaceMessages("s1", [{ role: "user", content: "instead" }]);
    expect(filesWithSecret(store)).not.toEqual([]);
    expect(store.db.eraseMessage("s1", id)).toBe(true);
    expect(filesWithSecret(store)).toEqual([]);
    expect(contents(store)).toEqual(["instead"]);
  });

  test("goes with its session", () => {
    const store = transcriptStore();
    store.session("s1");
    const id = store.say("s1", SECRET);
    store.say("s1", "other");
    store.db.eraseMessage("s1", id);
    store.db.clearMessages("s1");
    expect(contents(store)).toEqual([]);
    store.db.deleteSession("s1");
    expect(store.db.getSession("s1")).toBeNull();
  });
});

test("a key whose message was erased is refused by name, and the text does not come back", () => {
  const store = transcriptStore();
  store.session("s1");
  const message = { session_id: "s1", role: "user", content: SECRET, eventId: "k-1" };
  const id = store.db.appendMessage(message);
  store.db.eraseMessage("s1", id);
  expect(() => store.db.appendMessage(message)).toThrow(MessageErasedError);
  expect(filesWithSecret(store)).toEqual([]);
});
