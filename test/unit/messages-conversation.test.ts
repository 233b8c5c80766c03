import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanContext } from "../../src/store/messages/conversation-cleaning.js";
import { toConversation } from "../../src/store/messages/conversation.js";
import { appendedRows, storedRow } from "../support/stored-rows.js";

type Messages = Parameters<typeof appendedRows>[0];

const conversation = (messages: Messages, options: Parameters<typeof toConversation>[1] = {}) =>
  toConversation(appendedRows(messages), options);

const contents = (messages: Messages, options: Parameters<typeof toConversation>[1] = {}) =>
  conversation(messages, options).map((entry) => [entry.role, entry.content]);

describe("the keys of an entry", () => {
  const ROWS: Messages = [
    {
      role: "user",
      timestamp: 1.5,
      platform_message_id: "pm",
      observed: true,
      display_kind: "note",
      display_metadata: { a: 1 },
      api_content: " hi+ctx ",
      content: "  hi  ",
    },
    {
      role: "assistant",
      timestamp: 2.5,
      finish_reason: "stop",
      reasoning: "r",
      reasoning_content: "",
      reasoning_details: [{ t: 1 }],
      codex_reasoning_items: [1],
      codex_message_items: [2],
      tool_calls: [{ id: "c1" }],
      content: " ok ",
    },
    {
      role: "tool",
      timestamp: 3.5,
      tool_call_id: "c1",
      tool_name: "sh",
      effect_disposition: "applied",
      finish_reason: "hidden",
      reasoning: "hidden",
      content: " raw ",
    },
    { role: "assistant", timestamp: 4.5, content: null },
  ];

  test("only what a row has, in the documented order", () => {
    // Compared as text: the order of keys counts.
    expect(JSON.stringify(conversation(ROWS))).toBe(
      JSON.stringify([
        {
          role: "user",
          content: "hi",
          api_content: " hi+ctx ",
          display_kind: "note",
          display_metadata: { a: 1 },
          timestamp: 1.5,
          message_id: "pm",
          observed: true,
        },
        {
          role: "assistant",
          content: "ok",
          timestamp: 2.5,
          tool_calls: [{ id: "c1" }],
          finish_reason: "stop",
          reasoning: "r",
          reasoning_content: "",
          reasoning_details: [{ t: 1 }],
          codex_reasoning_items: [1],
          codex_message_items: [2],
        },
        {
          role: "tool",
          content: " raw ",
          timestamp: 3.5,
          tool_call_id: "c1",
          tool_name: "sh",
          effect_disposition: "applied",
        },
        { role: "assistant", content: null, timestamp: 4.5 },
      ]),
    );
  });

  test("every key there is, in the documented order", () => {
    const row = storedRow({
      role: "assistant",
      id: 9,
      api_content: "a",
      display_kind: "k",
      display_metadata: '{"a": 1}',
      tool_call_id: "t",
      tool_name: "n",
      effect_disposition: "e",
      tool_calls: "[1]",
      platform_message_id: "p",
      observed: 1,
      finish_reason: "f",
      reasoning: "r",
      reasoning_content: "rc",
      reasoning_details: "[1]",
      codex_reasoning_items: "[1]",
      codex_message_items: "[1]",
      token_count: 3,
    });
    expect(toConversation([row], { includeRowIds: true }).map(Object.keys)).toEqual([
      [
        ...["role", "content", "_row_id", "api_content", "display_kind", "display_metadata", "timestamp"],
        ...["tool_call_id", "tool_name", "effect_disposition", "tool_calls", "message_id", "observed", "finish_reason"],
        ...["reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items", "codex_message_items"],
      ],
    ]);
  });

  test("row ids on request", () => {
    expect(conversation(ROWS, { includeRowIds: true }).map((entry) => entry._row_id)).toEqual([1, 2, 3, 4]);
    expect(conversation(ROWS).some((entry) => "_row_id" in entry)).toBe(false);
  });

  test("what is empty is left out, but for an empty reasoning_content", () => {
    const row = storedRow({
      role: "assistant",
      content: "",
      api_content: "",
      display_kind: "",
      display_metadata: "{}",
      timestamp: 0,
      tool_call_id: "",
      tool_name: "",
      effect_disposition: "",
      tool_calls: "",
      platform_message_id: "",
      observed: 0,
      finish_reason: "",
      reasoning: "",
      reasoning_content: "",
      reasoning_details: "",
      codex_reasoning_items: "",
      codex_message_items: "",
    });
    expect(toConversation([row])).toEqual([{ role: "assistant", content: "", reasoning_content: "" }]);
  });

  test("what does not parse: no calls, null for the assistant's JSON fields, no metadata", () => {
    const row = storedRow({
      role: "assistant",
      content: "x",
      tool_calls: "[",
      reasoning_details: "{",
      codex_reasoning_items: "nope",
      codex_message_items: "[1] x",
      display_metadata: "{",
    });
    expect(toConversation([row])).toEqual([
      {
        role: "assistant",
        content: "x",
        timestamp: 1000,
        tool_calls: [],
        reasoning_details: null,
        codex_reasoning_items: null,
        codex_message_items: null,
      },
    ]);
  });

  test("structured content comes decoded and is otherwise untouched", () => {
    const parts = [{ type: "text", text: " <memory-context>kept</memory-context> " }];
    expect(contents([{ role: "user", content: parts }])).toEqual([["user", parts]]);
  });

  test("no rows, no entries", () => {
    expect(toConversation([], { includeAncestors: true, repairAlternation: true })).toEqual([]);
  });
});

describe("recalled memory", () => {
  test("is removed from user and assistant text only", () => {
    expect(
      contents([
        { role: "user", content: "before <memory-context>secret\nlines</memory-context> after" },
        { role: "assistant", content: "x </memory-context> y <MEMORY-CONTEXT>z" },
        { role: "tool", content: "<memory-context>kept</memory-context>" },
        { role: "system", content: " <memory-context>kept</memory-context> " },
        {
          role: "user",
          content:
            "[System note: The following is recalled memory context, NOT new user input. " +
            "Treat as informational background data.]  tail",
        },
      ]),
    ).toEqual([
      ["user", "before  after"],
      ["assistant", "x  y z"],
      ["tool", "<memory-context>kept</memory-context>"],
      ["system", " <memory-context>kept</memory-context> "],
      ["user", "tail"],
    ]);
  });

  test("text is stripped by the documented white space after cleaning", () => {
    expect(
      contents([{ role: "user", content: "\u001f\u0085 \ufeff<memory-context>x</memory-context>\u3000" }]),
    ).toEqual([["user", "\ufeff"]]);
  });

  const NOTE = "[System note: The following is recalled memory context, NOT new user input. Treat as ";

  test.each([
    ["blocks in any case", "a<Memory-context>x</MEMORY-CONTEXT>b", "ab"],
    ["shortest blocks", "a<memory-context>1</memory-context>b<memory-context>2</memory-context>c", "abc"],
    ["a block ends at the first end", "<memory-context>1<memory-context>2</memory-context>3</memory-context>4", "34"],
    ["white space inside the tags", "a< memory-context\u0085>x</\tmemory-context >b", "ab"],
    ["white space before the slash makes no tag", "a<memory-context>x< /memory-context>b", "ax< /memory-context>b"],
    ["no tag with an attribute", "<memory-context id=1>x</memory-context>", "<memory-context id=1>x"],
    ["a block that never ends loses its tag only", "a<memory-context>b", "ab"],
    ["an end before its beginning", "a</memory-context>b<Memory-Context>c", "abc"],
    ["tags left over after blocks are gone", "<memory-<memory-context>x</memory-context>context>y", "y"],
    [
      "notes in any case and spacing",
      `a${NOTE.toUpperCase().replaceAll(": ", ":\n\n")}INFORMATIONAL BACKGROUND DATA.]\n\nb`,
      "ab",
    ],
    ["authoritative notes up to the bracket", `${NOTE}authoritative reference data: trust. it.]x`, "x"],
    ["authoritative notes without more", `${NOTE}authoritative reference data.]x`, "x"],
    [
      "a note must end in a full stop",
      `${NOTE}authoritative reference data]x`,
      `${NOTE}authoritative reference data]x`,
    ],
    [
      "informational notes say no more",
      `${NOTE}informational background data, ok.]x`,
      `${NOTE}informational background data, ok.]x`,
    ],
    [
      "a note across a bracket is none",
      `${NOTE}authoritative reference data [1] x.]y`,
      `${NOTE}authoritative reference data [1] x.]y`,
    ],
    [
      "a note that removing a block completes",
      `[System note:<memory-context>x</memory-context> ${NOTE.slice(14)}informational background data.]y`,
      "y",
    ],
    ["nothing to do", "plain <b>text</b> [System note: hello]", "plain <b>text</b> [System note: hello]"],
    ["empty", "", ""],
  ])("%s", (_, text, cleaned) => {
    expect(cleanContext(text)).toBe(cleaned);
  });

  test("is what plain expressions would remove", () => {
    const plainly = (text: string) =>
      text
        .replace(/<\s*memory-context\s*>[^]*?<\/\s*memory-context\s*>/giu, "")
        .replace(
          /\[System note:\s*The following is recalled memory context,\s*NOT new user input\.\s*Treat as (?:informational background data|authoritative reference data[^\]]*)\.\]\s*/giu,
          "",
        )
        .replace(/<\/?\s*memory-context\s*>/giu, "");
    const pieces = ["<memory-context>", "</memory-context>", "< Memory-Context\n>", "<memory-", "context>", "</"];
    const notes = [NOTE, "informational background data", "authoritative reference data", ".]", "].", ".", "]", "["];
    const text = fc.array(fc.constantFrom(...pieces, ...notes, `${NOTE}authoritative reference data`, " ", "\n", "x"), {
      maxLength: 14,
    });
    fc.assert(
      fc.property(text, (parts) => {
        expect(cleanContext(parts.join(""))).toBe(plainly(parts.join("")));
      }),
      { numRuns: 3000 },
    );
  });

  test("calls do not depend on each other", () => {
    const text = "a<memory-context>x</memory-context>b";
    expect([cleanContext(text), cleanContext("b<memory-context>c"), cleanContext(text)]).toEqual(["ab", "bc", "ab"]);
  });
});

describe("texts taken over from an ancestor", () => {
  const LINEAGE: Messages = [
    { role: "user", content: "q1" },
    { role: "assistant", content: "a1" },
    { role: "user", content: "q2" },
    { role: "user", content: "q2" },
    { role: "assistant", content: "a2" },
    { role: "user", content: "q1" },
  ];

  test("are dropped where no assistant answered in between", () => {
    expect(contents(LINEAGE, { includeAncestors: true })).toEqual([
      ["user", "q1"],
      ["assistant", "a1"],
      ["user", "q2"],
      ["assistant", "a2"],
      ["user", "q1"],
    ]);
  });

  test("the earlier row is the one kept", () => {
    const ids = conversation(LINEAGE, { includeAncestors: true, includeRowIds: true }).map((entry) => entry._row_id);
    expect(ids).toEqual([1, 2, 3, 5, 6]);
  });

  test("are kept without ancestors", () => {
    expect(contents(LINEAGE)).toHaveLength(6);
  });

  test("the search passes other users, tools, systems and empty assistants", () => {
    const between: Messages = [
      { role: "user", content: "other" },
      { role: "tool", content: "result" },
      { role: "system", content: "note" },
      { role: "assistant", content: null },
      { role: "assistant", content: " " },
    ];
    const messages = [{ role: "user", content: "q" }, ...between, { role: "user", content: " q " }];
    expect(contents(messages, { includeAncestors: true })).toEqual(contents(messages).slice(0, -1));
  });

  test("an assistant with calls or structured content ends the search", () => {
    for (const answer of [{ tool_calls: [{ id: "1" }] }, { content: [{ type: "text" }] }]) {
      const messages = [
        { role: "user", content: "q" },
        { role: "assistant", ...answer },
        { role: "user", content: "q" },
      ];
      expect(contents(messages, { includeAncestors: true })).toHaveLength(3);
    }
  });

  test("an assistant with unparsable calls does not", () => {
    const rows = appendedRows([{ role: "user", content: "q" }, { role: "assistant" }, { role: "user", content: "q" }]);
    const broken = rows.map((row) => (row.role === "assistant" ? { ...row, tool_calls: "[" } : row));
    expect(toConversation(broken, { includeAncestors: true }).map((entry) => entry.role)).toEqual([
      "user",
      "assistant",
    ]);
  });

  test("empty texts, structured content and other roles are never dropped", () => {
    for (const repeated of [
      { role: "user", content: "" },
      { role: "user", content: "  " },
      { role: "user", content: null },
      { role: "user", content: [{ type: "text", text: "q" }] },
      { role: "system", content: "q" },
      { role: "tool", content: "q" },
    ]) {
      expect(contents([repeated, repeated], { includeAncestors: true })).toHaveLength(2);
    }
  });
});

describe("background reviews", () => {
  const SKILLS = "Review the conversation above and update the skill library";
  const MEMORY = "Review the conversation above and consider saving to memory";

  test("prompts are dropped, and the assistant entry after each", () => {
    expect(
      contents([
        { role: "user", content: "real" },
        { role: "user", content: ` ${SKILLS} now` },
        { role: "assistant", content: "curated" },
        { role: "assistant", content: "kept" },
        { role: "system", content: `\n${MEMORY}: x` },
        { role: "user", content: "not assistant" },
        { role: "assistant", content: "ok" },
      ]),
    ).toEqual([
      ["user", "real"],
      ["assistant", "kept"],
      ["user", "not assistant"],
      ["assistant", "ok"],
    ]);
  });

  test("prompts in a row all go, at the end too", () => {
    expect(
      contents([
        { role: "user", content: SKILLS },
        { role: "user", content: MEMORY },
        { role: "assistant", content: "gone" },
        { role: "user", content: MEMORY },
      ]),
    ).toEqual([]);
  });

  test.each([
    ["other roles", { role: "tool", content: SKILLS }],
    ["assistants", { role: "assistant", content: MEMORY }],
    ["other case", { role: "user", content: SKILLS.toLowerCase() }],
    ["not at the start", { role: "user", content: `Please: ${SKILLS}` }],
    ["structured content", { role: "user", content: [{ type: "text", text: SKILLS }] }],
    ["text after what is no white space", { role: "system", content: `\ufeff${SKILLS}` }],
  ])("kept: %s", (_, message) => {
    expect(contents([message, { role: "assistant", content: "a" }])).toHaveLength(2);
  });

  test("come off before roles are repaired", () => {
    expect(
      contents(
        [
          { role: "user", content: "a" },
          { role: "user", content: SKILLS },
          { role: "assistant", content: "gone" },
          { role: "user", content: "b" },
        ],
        { repairAlternation: true },
      ),
    ).toEqual([["user", "a\n\nb"]]);
  });
});

describe("alternation repair", () => {
  const repaired = (messages: Messages) => conversation(messages, { repairAlternation: true });
  const call = (id: string) => ({ role: "assistant", tool_calls: [{ id }] });

  test("the three passes together", () => {
    const messages: Messages = [
      { role: "user", api_content: "U1", content: "u1" },
      { role: "user", content: "u2" },
      { role: "assistant", tool_calls: [{ id: "c1" }], content: "a1" },
      { role: "assistant", tool_calls: [{ id: "c2" }], reasoning_content: "rc", content: "a2" },
      { role: "tool", tool_call_id: "c1", content: "r1" },
      { role: "tool", tool_call_id: "c1", content: "dup" },
      { role: "tool", tool_call_id: "zz", content: "stray" },
      { role: "tool", tool_call_id: "c2", content: "r2" },
      { role: "user", content: "u3" },
      { role: "tool", tool_call_id: "c2", content: "late" },
      { role: "assistant", finish_reason: "verification_required", content: "draft" },
      { role: "assistant", finish_reason: "stop", content: "final" },
    ];
    expect(repaired(messages)).toEqual([
      { role: "user", content: "u1\n\nu2", timestamp: 1001 },
      {
        role: "assistant",
        content: "a1\na2",
        timestamp: 1003,
        tool_calls: [{ id: "c1" }, { id: "c2" }],
        reasoning_content: "rc",
      },
      { role: "tool", content: "r1", timestamp: 1005, tool_call_id: "c1" },
      { role: "tool", content: "r2", timestamp: 1008, tool_call_id: "c2" },
      { role: "user", content: "u3", timestamp: 1009 },
      { role: "assistant", content: "final", timestamp: 1012, finish_reason: "stop" },
    ]);
    expect(contents(messages)).toHaveLength(12);
  });

  test("a conversation that needs nothing comes back the same", () => {
    const messages: Messages = [
      { role: "system", content: "s" },
      { role: "user", api_content: "U", content: "u" },
      { ...call("c1"), content: "a", finish_reason: "tool_calls" },
      { role: "tool", tool_call_id: "c1", content: "r" },
      { role: "assistant", content: "done", reasoning: "r" },
      { role: "user", content: "u" },
    ];
    expect(repaired(messages)).toEqual(conversation(messages));
  });

  describe("adjacent assistants", () => {
    test("the earlier keeps all its fields and takes only calls, content and reasoning_content of the later", () => {
      const earlier = { role: "assistant", content: "a", finish_reason: "length", reasoning: "r1", api_content: "A" };
      const later = {
        ...call("c2"),
        content: "b",
        finish_reason: "stop",
        reasoning: "r2",
        reasoning_content: "rc2",
        reasoning_details: [1],
        api_content: "B",
        platform_message_id: "p",
      };
      expect(repaired([earlier, later])).toEqual([
        {
          role: "assistant",
          content: "a\nb",
          api_content: "A",
          timestamp: 1001,
          finish_reason: "length",
          reasoning: "r1",
          tool_calls: [{ id: "c2" }],
          reasoning_content: "rc2",
        },
      ]);
    });

    test("a run of them becomes one; no calls, no key", () => {
      const entries = repaired(["a", " b ", "", "c"].map((content) => ({ role: "assistant", content })));
      expect(entries).toEqual([{ role: "assistant", content: "a\nb\nc", timestamp: 1001 }]);
    });

    test.each<[unknown, unknown, unknown]>([
      ["a", null, "a"],
      [null, "b", "b"],
      ["", [{ type: "text" }], [{ type: "text" }]],
      ["a", [{ type: "text" }], "a"],
      [[{ type: "text" }], "b", [{ type: "text" }]],
      [[], "b", "b"],
      [null, null, null],
      ["", "", ""],
    ])("content %j and %j becomes %j", (earlier, later, joined) => {
      const entries = repaired([
        { role: "assistant", content: earlier },
        { role: "assistant", content: later },
      ]);
      expect(entries.map((entry) => entry.content)).toEqual([joined]);
    });

    test.each<[unknown, unknown, unknown]>([
      ["one", "two", "one"],
      ["one", null, "one"],
      [null, "two", "two"],
      ["", "two", "two"],
      ["", null, ""],
      [null, "", ""],
      [null, null, undefined],
    ])("reasoning_content %j and %j becomes %j", (earlier, later, joined) => {
      const entries = repaired([
        { role: "assistant", reasoning_content: earlier },
        { role: "assistant", reasoning_content: later },
      ]);
      expect(entries.map((entry) => entry.reasoning_content)).toEqual([joined]);
    });

    test("a single call object counts as a list of one", () => {
      const entries = repaired([{ role: "assistant", tool_calls: { id: "1" } }, call("2")]);
      expect(entries.map((entry) => entry.tool_calls)).toEqual([[{ id: "1" }, { id: "2" }]]);
    });

    test.each([
      ["codex_reasoning_items", { codex_reasoning_items: [1] }],
      ["codex_message_items", { codex_message_items: [1] }],
      ["finish_reason incomplete", { finish_reason: "incomplete" }],
    ])("codex interims stay apart: %s", (_, interim) => {
      const plain = { role: "assistant", content: "a" };
      expect(repaired([{ ...plain, ...interim }, plain])).toHaveLength(2);
      expect(repaired([plain, { ...plain, ...interim }])).toHaveLength(2);
    });

    test("unparsable codex items make no interim", () => {
      const rows = [1, 2].map((id) => storedRow({ id, role: "assistant", content: "a", codex_message_items: "{" }));
      expect(toConversation(rows, { repairAlternation: true })).toHaveLength(1);
    });

    test.each(["verification_required", "verify_hook_continue"])("a draft (%s) gives way to what follows", (reason) => {
      const draft = { ...call("c1"), content: "draft", finish_reason: reason, reasoning_content: "rc" };
      const final = { role: "assistant", content: "final", finish_reason: "stop" };
      expect(repaired([draft, final])).toEqual([
        { role: "assistant", content: "final", timestamp: 1002, finish_reason: "stop" },
      ]);
      expect(repaired([draft, draft, final])).toHaveLength(1);
      // Only the earlier one's reason counts, and codex interims stay apart even then.
      expect(contents([final, draft], { repairAlternation: true })).toEqual([["assistant", "final\ndraft"]]);
      expect(repaired([{ ...draft, codex_message_items: [1] }, final])).toHaveLength(2);
    });

    test("what the second pass makes adjacent is not joined", () => {
      const entries = repaired([
        { role: "assistant", content: "a" },
        { role: "tool", tool_call_id: "none", content: "stray" },
        { role: "assistant", content: "b" },
      ]);
      expect(entries.map((entry) => entry.content)).toEqual(["a", "b"]);
    });
  });

  describe("tool results", () => {
    const result = (tool_call_id: string | null) => ({
      role: "tool",
      tool_call_id,
      content: `result of ${String(tool_call_id)}`,
    });
    const kept = (messages: Messages) =>
      repaired(messages).flatMap((entry) => (entry.role === "tool" ? [entry.tool_call_id] : []));

    test("answer by id or call_id, each id once", () => {
      const calls = { role: "assistant", tool_calls: [{ id: "i1", call_id: "x1" }, { id: "i2" }, { call_id: "x3" }] };
      expect(kept([calls, result("x1"), result("i2"), result("x3"), result("i2")])).toEqual(["x1", "i2", "x3"]);
      expect(kept([calls, result("i1"), result("x1")])).toEqual(["i1", "x1"]);
    });

    test("need a call before them, and an id", () => {
      expect(kept([result("c1"), call("c1"), result(null), result("")])).toEqual([]);
      expect(kept([{ role: "assistant", tool_calls: [{}, "c1", null] }, result("c1"), result(null)])).toEqual([]);
    });

    test("only calls of the last assistant are open", () => {
      const separate = { codex_message_items: [1] };
      expect(
        kept([{ ...call("c1"), ...separate }, { ...call("c2"), ...separate }, result("c1"), result("c2")]),
      ).toEqual(["c2"]);
    });

    test("a user entry closes them, other roles do not", () => {
      expect(kept([call("c1"), { role: "user", content: "u" }, result("c1")])).toEqual([]);
      expect(kept([call("c1"), { role: "system", content: "s" }, { role: "unknown" }, result("c1")])).toEqual(["c1"]);
    });
  });

  describe("adjacent users", () => {
    test("the earlier keeps its fields, but for the text that was sent to the API", () => {
      expect(
        repaired([
          {
            role: "user",
            content: "a",
            api_content: "A",
            platform_message_id: "p1",
            observed: true,
            display_kind: "k",
          },
          { role: "user", content: "b", api_content: "B", platform_message_id: "p2", display_metadata: { a: 1 } },
        ]),
      ).toEqual([
        { role: "user", content: "a\n\nb", timestamp: 1001, message_id: "p1", observed: true, display_kind: "k" },
      ]);
    });

    test.each([
      [["a", ""], "a"],
      [["", "b"], "b"],
      [["", ""], ""],
      [["a", "b", "", "c"], "a\n\nb\n\nc"],
    ])("texts %j become %j", (texts, joined) => {
      expect(
        contents(
          texts.map((content) => ({ role: "user", content })),
          { repairAlternation: true },
        ),
      ).toEqual([["user", joined]]);
    });

    test("even an empty text costs the earlier its api_content", () => {
      const [entry] = repaired([
        { role: "user", content: "a", api_content: "A" },
        { role: "user", content: "" },
      ]);
      expect(entry).toEqual({ role: "user", content: "a", timestamp: 1001 });
    });

    test("structured content and NULL stay apart", () => {
      const parts = [{ type: "text", text: "x" }];
      const messages = ["a", parts, "b", null, "c"].map((content) => ({ role: "user", content }));
      expect(contents(messages, { repairAlternation: true })).toEqual(
        messages.map(({ role, content }) => [role, content]),
      );
    });

    test("are joined where a stray tool result stood between", () => {
      expect(
        contents(
          [
            { role: "user", content: "a" },
            { role: "tool", content: "stray" },
            { role: "user", content: "b" },
          ],
          { repairAlternation: true },
        ),
      ).toEqual([["user", "a\n\nb"]]);
    });
  });

  test("the rows given stay as they are", () => {
    const rows = appendedRows([
      { ...call("c1"), content: "a" },
      { ...call("c2"), content: "b" },
      { role: "user", content: "x", api_content: "X" },
      { role: "user", content: "y" },
    ]);
    const before = structuredClone(rows);
    const options = { includeAncestors: true, repairAlternation: true, includeRowIds: true };
    expect(toConversation(rows, options)).toEqual(toConversation(rows, options));
    expect(rows).toEqual(before);
  });
});
