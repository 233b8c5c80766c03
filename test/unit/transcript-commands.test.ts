import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LedgerError } from "../../src/events/index.js";
import { transcriptStore } from "../support/transcript-store.js";

const kindOf = (body: () => unknown): string => {
  try {
    body();
  } catch (error) {
    if (error instanceof LedgerError) return `${error.kind} ${error.code}`;
    throw error;
  }
  return "no refusal";
};

describe("replacing and compacting a transcript", () => {
  test("of an unknown session is a no-op without messages, and refused with some", () => {
    const { db, eventTypes } = transcriptStore();
    db.replaceMessages("none", []);
    db.clearMessages("none");
    expect(db.archiveAndCompact("none", [])).toBe(0);
    expect(kindOf(() => db.replaceMessages("none", [{ role: "user" }]))).toBe("constraint SESSION_NOT_FOUND");
    expect(kindOf(() => db.archiveAndCompact("none", [{ role: "user" }]))).toBe("constraint SESSION_NOT_FOUND");
    expect(eventTypes()).toEqual([]);
  });

  test("records nothing where nothing changes", () => {
    const { db, session, eventTypes } = transcriptStore();
    session("s");
    db.replaceMessages("s", []);
    db.replaceMessages("s", [], { active_only: true });
    db.archiveAndCompact("s", []);
    db.clearMessages("s");
    expect(eventTypes()).toEqual(["SessionCreated"]);
  });

  test("sets counters that had drifted, even without messages", () => {
    const { db, session, plant } = transcriptStore();
    session("s");
    plant("UPDATE sessions SET message_count = 7 WHERE id = 's'");
    db.replaceMessages("s", []);
    expect(db.exportSession("s")?.message_count).toBe(0);
  });

  test("a rewrite that is refused leaves everything as it was", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    say("s", "kept");
    expect(kindOf(() => db.replaceMessages("s", [{ role: "user" }, { role: null }]))).toBe(
      "constraint MESSAGE_COLUMN_MISSING",
    );
    expect(kindOf(() => db.archiveAndCompact("s", [{ role: "user", timestamp: "nan" }]))).toBe(
      "constraint MESSAGE_COLUMN_MISSING",
    );
    expect(db.getMessages("s").map(({ content, active }) => [content, active])).toEqual([["kept", 1]]);
    expect(say("s", "next")).toBe(2);
  });

  test("the replaced text stays in the log until the session is cleared; then it is in no byte of the file", () => {
    const { db, path, session, say } = transcriptStore();
    session("s");
    say("s", "first zebrafish");
    db.replaceMessages("s", []);
    expect(JSON.stringify([...db.log.read()])).toContain("zebrafish");
    db.clearMessages("s");
    expect(JSON.stringify([...db.log.read()])).not.toContain("zebrafish");
    db.close();
    expect(readFileSync(path).includes("zebrafish")).toBe(false);
  });

  test("clearing again records nothing", () => {
    const { db, session, say, eventTypes } = transcriptStore();
    session("s");
    say("s", "a");
    db.clearMessages("s");
    const before = eventTypes();
    db.clearMessages("s");
    expect(eventTypes()).toEqual(before);
    expect(say("s", "b")).toBe(2);
  });

  test("only compression closes a session for replacing, and only while it is ended", () => {
    const { db, session } = transcriptStore();
    session("s", { end_reason: "compression" });
    db.replaceMessages("s", [{ role: "user", content: "x" }]);
    expect(db.messageCount({ session_id: "s" })).toBe(1);
  });
});

describe("rewinding", () => {
  test("hides the messages from the readers of the live context, and from no other", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    const first = say("s", "one");
    const second = say("s", "two");
    db.rewindToMessage("s", second);
    expect(db.getMessages("s").map(({ id }) => id)).toEqual([first]);
    expect(db.getMessages("s", { include_inactive: true }).map(({ id }) => id)).toEqual([first, second]);
    expect(db.getMessagesAsConversation("s").map(({ content }) => content)).toEqual(["one"]);
    expect(db.getMessagesAsConversation("s", { include_inactive: true }).map(({ content }) => content)).toEqual([
      "one",
      "two",
    ]);
    expect(db.getResumeConversations("s").map((entries) => entries.length)).toEqual([1, 1]);
    expect(db.latestUserMessageRowId("s")).toBe(first);
    expect(db.getMessageRole("s", second)).toBeNull();
    expect(db.listRecentUserMessages("s").map(({ id }) => id)).toEqual([first]);
    expect(db.exportSession("s")?.messages.map(({ id }) => id)).toEqual([first]);
    expect(db.messageCount({ session_id: "s" })).toBe(2);
    expect(db.getMessagesAround("s", first).window.map(({ id }) => id)).toEqual([first, second]);
    expect(db.hasArchivedMessages("s")).toBe(true);
  });

  test("to a message of another session, or of an assistant, is refused", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    session("t");
    const id = say("t", "x");
    const answer = db.appendMessage({ session_id: "s", role: "it's", content: "y" });
    expect(() => db.rewindToMessage("s", id)).toThrow(`message ${id} not found in session s`);
    expect(() => db.rewindToMessage("s", answer)).toThrow(
      `rewind target must be a 'user' message (got role="it's", id=${answer})`,
    );
  });

  test("gives the target raw but for its content", () => {
    const { db, session } = transcriptStore();
    session("s");
    const id = db.appendMessage({
      session_id: "s",
      role: "user",
      content: [{ type: "text", text: "x" }],
      tool_calls: [{ id: "1" }],
      display_metadata: { a: 1 },
    });
    expect(db.rewindToMessage("s", id).target_message).toMatchObject({
      content: [{ type: "text", text: "x" }],
      tool_calls: '[{"id": "1"}]',
      display_metadata: '{"a": 1}',
      active: 1,
    });
  });

  test("restoring takes any bound, and records nothing where nothing is inactive", () => {
    const { db, session, say, eventTypes } = transcriptStore();
    session("s");
    const first = say("s", "one");
    say("s", "two");
    expect(db.restoreRewound("s", 0)).toBe(0);
    expect(db.restoreRewound("none", 0)).toBe(0);
    db.rewindToMessage("s", first);
    expect(db.restoreRewound("s", -5.5)).toBe(2);
    expect(eventTypes(4)).toEqual(["MessagesRewound", "MessagesRestored"]);
  });
});

describe("annotations", () => {
  test("structured and numeric content is found as it is stored", () => {
    const { db, session } = transcriptStore();
    session("s");
    const content = [{ type: "text", text: "é" }];
    db.appendMessage({ session_id: "s", role: "user", content });
    expect(db.setLatestUserApiContent("s", content, "sent")).toBe(1);
    expect(db.setLatestMatchingMessageDisplayKind("s", "user", content, "note")).toBe(true);
    db.appendMessage({ session_id: "s", role: "user", content: 5 });
    expect(db.setLatestUserApiContent("s", "5", "five")).toBe(1);
    expect(db.setLatestUserApiContent("s", 5, null)).toBe(1);
    db.appendMessage({ session_id: "s", role: "user" });
    expect(db.setLatestUserApiContent("s", null, "nothing")).toBe(1);
    expect(db.getMessages("s").map(({ api_content, display_kind }) => [api_content, display_kind])).toEqual([
      ["sent", "note"],
      [null, null],
      ["nothing", null],
    ]);
  });

  test("a stamp overwrites the metadata with nothing, scrubs the kind, and passes over inactive messages", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    db.appendMessage({ session_id: "s", role: "user", content: "x", display_metadata: { a: 1 } });
    const second = say("s", "x");
    db.rewindToMessage("s", second);
    expect(db.setLatestMatchingMessageDisplayKind("s", "user", "x", "k\ud800")).toBe(true);
    expect(
      db
        .getMessages("s", { include_inactive: true })
        .map(({ display_kind, display_metadata }) => [display_kind, display_metadata]),
    ).toEqual([
      ["k\ufffd", null],
      [null, null],
    ]);
    expect(db.setLatestMatchingMessageDisplayKind("s", "user", "x", "")).toBe(false);
    expect(db.setLatestMatchingMessageDisplayKind("", "user", "x", "k")).toBe(false);
  });

  test("the same annotation again records nothing", () => {
    const { db, session, say, eventTypes } = transcriptStore();
    session("s");
    say("s", "x");
    const stamp = (): boolean =>
      db.setLatestMatchingMessageDisplayKind("s", "user", "x", "k", { display_metadata: { a: 1 } });
    expect([stamp(), stamp()]).toEqual([true, true]);
    expect([db.setLatestUserApiContent("s", "x", "y"), db.setLatestUserApiContent("s", "x", "y")]).toEqual([1, 1]);
    expect(eventTypes(3)).toEqual(["MessageAnnotated", "MessageAnnotated"]);
  });
});

describe("reactions", () => {
  test("time is a float in the stored text, and a number in the result", () => {
    const { db, session, say, setClock } = transcriptStore();
    session("s");
    const id = say("s", "x");
    setClock(2000);
    expect(db.setMessageReaction("s", id, "a")).toEqual([{ emoji: "a", author: "user", at: 2000 }]);
    expect(db.getMessages("s")[0]?.display_metadata).toEqual({ reactions: [{ emoji: "a", author: "user", at: 2000 }] });
    expect(db.rewindToMessage("s", id).target_message.display_metadata).toBe(
      '{"reactions": [{"emoji": "a", "author": "user", "at": 2000.0}]}',
    );
  });

  test("other metadata keeps its numbers, its order and its large integers", () => {
    const { db, session } = transcriptStore();
    session("s");
    const display_metadata = '{"10": 1.0, "a": 12345678901234567890, "reactions": [3, {"author": "x"}], "b": 1e16}';
    const id = db.appendMessage({ session_id: "s", role: "user", content: "x", display_metadata });
    db.setMessageReaction("s", id, "e");
    expect(db.rewindToMessage("s", id).target_message.display_metadata).toBe(
      '{"10": 1.0, "a": 12345678901234567890, "reactions": [{"author": "x"}, ' +
        '{"emoji": "e", "author": "user", "at": 1000.0}], "b": 1e+16}',
    );
  });

  test("undecodable metadata is overwritten; clearing where there is nothing to clear records nothing", () => {
    const { db, session, say, plant, eventTypes } = transcriptStore();
    session("s");
    const first = say("s", "x");
    const second = say("s", "y");
    plant(`UPDATE messages SET display_metadata = 'junk' WHERE id = ${first}`);
    const before = eventTypes().length;
    expect(db.getMessageReactions("s", first)).toEqual([]);
    expect(db.setMessageReaction("s", first, "e")).toHaveLength(1);
    expect(db.setMessageReaction("s", second, null)).toEqual([]);
    expect(db.setMessageReaction("s", second, "")).toEqual([]);
    expect(eventTypes(before + 1)).toEqual(["MessageAnnotated"]);
  });

  test("an emoji with a lone surrogate never toggles off", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    const id = say("s", "x");
    db.setMessageReaction("s", id, "a\ud800");
    expect(db.setMessageReaction("s", id, "a\ud800")).toMatchObject([{ emoji: "a\ufffd" }]);
  });

  test("taking marks each reaction of the author once, in active messages alone, and keeps what is none", () => {
    const { db, session, plant, say, eventTypes } = transcriptStore();
    session("s");
    const first = say("s", "one");
    const second = say("s", "two");
    const third = say("s", "three");
    plant(`UPDATE messages SET display_metadata = '{"reactions": [7, {"author": "user"},' ||
      '{"author": "user", "emoji": "a", "seen": 0}, {"author": "user", "emoji": "b", "seen": true}]}' WHERE id = ${first}`);
    db.setMessageReaction("s", second, "c", { author: "agent" });
    db.setMessageReaction("s", third, "d");
    db.rewindToMessage("s", third);
    const before = eventTypes().length;
    expect(db.takeUnseenReactions("s")).toEqual([
      { row_id: first, role: "user", emoji: "", text: "one" },
      { row_id: first, role: "user", emoji: "a", text: "one" },
    ]);
    expect(db.getMessages("s")[0]?.display_metadata).toEqual({
      reactions: [
        7,
        { author: "user", seen: true },
        { author: "user", emoji: "a", seen: true },
        { author: "user", emoji: "b", seen: true },
      ],
    });
    expect(db.takeUnseenReactions("s")).toEqual([]);
    expect(db.takeUnseenReactions("s", { author: "agent" })).toMatchObject([{ row_id: second, emoji: "c" }]);
    expect(eventTypes(before + 1)).toEqual(["MessageAnnotated", "MessageAnnotated"]);
  });
});

describe("publishing the continuation of a compressed session", () => {
  const summary = [{ role: "user", content: "summary" }];

  test("is refused when the lease is another's or ran out at this very moment", () => {
    const { db, session } = transcriptStore();
    session("p");
    const publish = (holder?: string): string =>
      kindOf(() =>
        db.publishCompressionChild(
          "p",
          "c",
          "cli",
          summary,
          holder === undefined ? {} : { compression_lock_holder: holder },
        ),
      );
    const lock = (expires_at: number): void => {
      const payload = { session_id: "p", holder: "me", acquired_at: 900, expires_at };
      db.log.append({ type: "CompressionLockChanged", payload });
    };
    lock(1000);
    expect(publish("me")).toBe("lease_lost COMPRESSION_LEASE_LOST");
    lock(1001);
    expect([publish(), publish(""), publish("you"), publish("me")]).toEqual([
      "lease_lost COMPRESSION_LEASE_LOST",
      "lease_lost COMPRESSION_LEASE_LOST",
      "lease_lost COMPRESSION_LEASE_LOST",
      "no refusal",
    ]);
  });

  test("is one batch, and a refused message undoes all of it", () => {
    const { db, session, eventTypes } = transcriptStore();
    session("p");
    const options = { require_compression_lease: false };
    expect(kindOf(() => db.publishCompressionChild("p", "c", "cli", [{ role: null }], options))).toBe(
      "constraint MESSAGE_COLUMN_MISSING",
    );
    expect(db.exportSession("c")).toBeNull();
    expect(db.exportSession("p")).toMatchObject({ ended_at: null });
    db.publishCompressionChild("p", "c", "cli", summary, options);
    expect(eventTypes(2)).toEqual(["SessionCreated", "TranscriptRewritten", "SessionEnded"]);
    expect(db.exportSessionLineage("p")?.lineage_session_ids).toEqual(["p", "c"]);
  });

  test("own values win over the parent's, empty ones do not", () => {
    const { db, session } = transcriptStore();
    session("p", { cwd: "/p", profile_name: "work", git_branch: "main", model: "m", display_name: "d" });
    db.publishCompressionChild("p", "c", "cli", summary, {
      require_compression_lease: false,
      cwd: "",
      profile_name: "home",
      model_config: {},
      system_prompt: "",
    });
    expect(db.exportSession("c")).toMatchObject({
      cwd: "/p",
      profile_name: "home",
      git_branch: "main",
      display_name: "d",
      model: null,
      model_config: null,
      system_prompt: "",
      parent_session_id: "p",
      message_count: 1,
    });
  });
});
