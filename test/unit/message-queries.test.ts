import { describe, expect, test } from "vitest";
import { MESSAGE_COLUMNS } from "../../src/store/queries/read-messages.js";
import { messages } from "../../src/projections/messages.js";
import { transcriptStore, type TranscriptStore } from "../support/transcript-store.js";

const ids = (rows: readonly { readonly id: number | bigint }[]): (number | bigint)[] => rows.map(({ id }) => id);

describe("reading messages", () => {
  test("names every column of the table, in its order", () => {
    expect(MESSAGE_COLUMNS.split(/,\s+/)).toEqual(Object.keys(messages.columns));
  });

  test("gives rows with all columns under their names, also in a file that has them in another order", () => {
    const { db, session, plant } = transcriptStore();
    session("s");
    const message = {
      session_id: "s",
      role: "assistant",
      content: "c",
      tool_call_id: "tc",
      tool_calls: [{ id: "1" }],
      tool_name: "n",
      effect_disposition: "none",
      timestamp: 5.5,
      token_count: 2n ** 60n,
      finish_reason: "stop",
      reasoning: "r",
      reasoning_content: "rc",
      reasoning_details: [1],
      codex_reasoning_items: [2],
      codex_message_items: [3],
      platform_message_id: "pm",
      observed: true,
      api_content: "a",
      display_kind: "k",
      display_metadata: { m: 1 },
    };
    const id = db.appendMessage(message);
    const row = {
      ...message,
      id,
      reasoning_details: "[1]",
      codex_reasoning_items: "[2]",
      codex_message_items: "[3]",
      observed: 1,
      active: 1,
      compacted: 0,
    };
    expect(db.getMessages("s")).toEqual([row]);
    plant("ALTER TABLE messages DROP COLUMN effect_disposition");
    plant("ALTER TABLE messages ADD COLUMN effect_disposition TEXT");
    expect(db.getMessages("s")).toEqual([{ ...row, effect_disposition: null }]);
  });

  test("pages with whatever bounds it is given", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    say("s", "1");
    say("s", "2");
    say("s", "3");
    expect(ids(db.getMessages("s", { limit: -2, offset: -1 }))).toEqual([1, 2, 3]);
    expect(ids(db.getMessages("s", { limit: null, offset: 2 }))).toEqual([3]);
    expect(ids(db.getMessages("s", { offset: 9 }))).toEqual([]);
  });

  test("shows odd stored values as documented: broken JSON, double-encoded metadata, bytes", () => {
    const { db, session, say, plant } = transcriptStore();
    session("s");
    say("s", "1");
    say("s", "2");
    say("s", "3");
    plant(`UPDATE messages SET content = char(0) || 'json:{', tool_calls = '[', display_metadata = '{' WHERE id = 1;
      UPDATE messages SET tool_calls = '', display_metadata = '"{\\"a\\": 1}"', observed = NULL WHERE id = 2;
      UPDATE messages SET content = x'00ff', display_metadata = '[1]' WHERE id = 3`);
    expect(db.getMessages("s")).toMatchObject([
      { content: "\u0000json:{", tool_calls: [], display_metadata: null },
      { tool_calls: "", display_metadata: { a: 1 }, observed: null },
      { content: Buffer.from([0, 255]), display_metadata: null },
    ]);
  });
});

describe("views around a message", () => {
  function longSession(): TranscriptStore {
    const store = transcriptStore();
    store.session("s");
    store.session("t");
    for (const text of ["1", "2", "3", "4", "5", "6", "7"]) store.say("s", text);
    return store;
  }

  test("show inactive messages, and skip those of other sessions", () => {
    const { db, say } = longSession();
    say("t", "8");
    say("s", "9");
    db.rewindToMessage("s", 5);
    expect(db.getMessagesAround("s", 7, { window: 2 })).toMatchObject({
      window: [{ id: 5 }, { id: 6 }, { id: 7 }, { id: 9 }],
      messages_before: 2,
      messages_after: 1,
    });
  });

  test("with no role to keep show the anchor alone", () => {
    const { db } = longSession();
    const view = db.getAnchoredView("s", 4, { window: 1, keep_roles: [] });
    expect(view).toMatchObject({ window: [{ id: 4 }], messages_before: 1, messages_after: 1 });
    expect([view.bookend_start, view.bookend_end]).toEqual([[], []]);
  });

  test("bookends have text: structured content and text after a NUL have none", () => {
    const { db, plant } = longSession();
    plant(`UPDATE messages SET content = char(0) || 'json:[1]' WHERE id = 1;
      UPDATE messages SET content = NULL WHERE id = 6;
      UPDATE messages SET content = char(0) || 'x' WHERE id = 7`);
    const view = db.getAnchoredView("s", 4, { window: 0, bookend: 1 });
    expect([ids(view.bookend_start), ids(view.bookend_end)]).toEqual([[2], [5]]);
    expect(db.getAnchoredView("s", 4, { window: 0, bookend: -1 }).bookend_end).toEqual([]);
  });
});

describe("lookups", () => {
  test("structured content counts as text, white space other than spaces too", () => {
    const { db, session } = transcriptStore();
    session("s");
    db.appendMessage({ session_id: "s", role: "user", content: [] });
    db.appendMessage({ session_id: "s", role: "user", content: "\n" });
    db.appendMessage({ session_id: "s", role: "user", content: " " });
    expect([db.latestUserMessageRowId("s"), db.latestMessageRowId("s", { offset: 1 })]).toEqual([2, 1]);
  });

  test("a platform's id is text; none is found by nothing", () => {
    const { db, session } = transcriptStore();
    session("s");
    db.appendMessage({ session_id: "s", role: "user", platform_message_id: 5 });
    db.appendMessage({ session_id: "s", role: "user" });
    expect(db.hasPlatformMessageId("s", "5")).toBe(true);
    expect(db.hasPlatformMessageId("s", "")).toBe(false);
  });

  test("counts are of one session or of all", () => {
    const { db, session, say } = transcriptStore();
    session("");
    session("t");
    say("", "1");
    say("t", "2");
    expect([db.messageCount({ session_id: "" }), db.messageCount({ session_id: null }), db.messageCount()]).toEqual([
      1, 2, 2,
    ]);
  });

  test("the first answer is the first by time; structured content has no text", () => {
    const { db, session } = transcriptStore();
    session("s");
    expect(db.getFirstAssistantText("s")).toBe("");
    db.appendMessage({ session_id: "s", role: "assistant", content: "later", timestamp: 20 });
    db.appendMessage({ session_id: "s", role: "assistant", timestamp: 5 });
    db.appendMessage({ session_id: "s", role: "assistant", content: "earlier", timestamp: 10 });
    expect(db.getFirstAssistantText("s")).toBe("earlier");
    db.appendMessage({ session_id: "s", role: "assistant", content: [1], timestamp: 1 });
    expect(db.getFirstAssistantText("s")).toBe("");
  });

  test("recent user messages are described, not quoted, where they invoke a skill", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    say("s", '[IMPORTANT: The user has invoked the "deploy" skill …');
    say("s", "plain");
    db.appendMessage({ session_id: "s", role: "user", content: { k: 1 } });
    db.rewindToMessage("s", 3);
    expect(db.listRecentUserMessages("s").map(({ preview }) => preview)).toEqual(["plain", "/deploy"]);
    expect(db.listRecentUserMessages("s", { include_inactive: true, limit: 1 })).toEqual([
      { id: 3, timestamp: 1000, preview: "" },
    ]);
  });

  test("sessions that begin with a skill, whatever its letters, need a title, and come newest first", () => {
    const { db, session, say } = transcriptStore();
    session("old", { title: "A", started_at: 1 });
    session("new", { title: "B", started_at: 2 });
    session("untitled");
    session("later", { title: "C" });
    const skill = '[important: the user has invoked the "x" skill]';
    for (const id of ["old", "new", "untitled"]) say(id, skill);
    say("later", "hello");
    say("later", skill);
    expect(db.listSkillScaffoldedSessions()).toEqual([
      { id: "new", title: "B", content: skill },
      { id: "old", title: "A", content: skill },
    ]);
    expect(db.listSkillScaffoldedSessions({ limit: 1 })).toMatchObject([{ id: "new" }]);
  });
});

describe("conversations of a lineage", () => {
  test("end where parents form a cycle, and take at most 100 sessions", () => {
    const { db, session, say, plant } = transcriptStore();
    session("a");
    session("b", { parent_session_id: "a" });
    plant("UPDATE sessions SET parent_session_id = 'b' WHERE id = 'a'");
    say("a", "from a");
    say("b", "from b");
    const texts = (id: string): unknown[] =>
      db.getMessagesAsConversation(id, { include_ancestors: true }).map(({ content }) => content);
    expect([texts("a"), texts("b")]).toEqual([
      ["from a", "from b"],
      ["from a", "from b"],
    ]);
    expect(db.getAncestorDisplayPrefix("b").map(({ content }) => content)).toEqual(["from a"]);

    for (let n = 0; n < 120; n++) session(`c${n}`, n === 0 ? {} : { parent_session_id: `c${n - 1}` });
    for (let n = 0; n < 120; n++) say(`c${n}`, `text ${n}`);
    expect(texts("c119")).toHaveLength(100);
    expect(texts("c119")[0]).toBe("text 20");
  });

  test("take their rows in id order across sessions, and hide what was rewound", () => {
    const { db, session, say } = transcriptStore();
    session("p");
    session("c", { parent_session_id: "p" });
    say("p", "1");
    say("c", "2");
    say("p", "3");
    say("p", "4");
    db.rewindToMessage("p", 4);
    const texts = db.getMessagesAsConversation("c", { include_ancestors: true }).map(({ content }) => content);
    expect(texts).toEqual(["1", "2", "3"]);
    expect(db.getAncestorDisplayPrefix("c").map(({ content }) => content)).toEqual(["1", "3"]);
    expect(db.getResumeConversations("none")).toEqual([[], []]);
  });

  test("the resumed conversation alternates, the shown one is complete", () => {
    const { db, session, say } = transcriptStore();
    session("s");
    say("s", "a");
    say("s", "b");
    const [model, shown] = db.getResumeConversations("s");
    expect(model).toEqual([{ role: "user", content: "a\n\nb", _row_id: 1, timestamp: 1000 }]);
    expect(shown.map(({ content }) => content)).toEqual(["a", "b"]);
  });
});
