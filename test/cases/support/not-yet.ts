const leavesOut = "the documented import leaves out chat, thread, undone messages and the usage of each model";
const noUpgrade = "a column that is missing is not added when the file is opened";
const fromTables = "a history is read from the tables, which still have all of it; nothing is left out or marked";

/**
 * What does not hold yet, with the reason: a whole case by its id, because it needs an operation that there is not, or
 * one check of a case as `id > check`. What is listed here is run all the same and must fail, so that what begins to
 * hold has to be taken off.
 */
export const notYet: Readonly<Record<string, string>> = {
  "message-streamed-in-pieces":
    "there are no messages in pieces: a caller appends the whole message once, which keeps one copy in the log",
  "export-import-round-trip > value files_equal": leavesOut,
  "export-import-round-trip > Both files are the same byte for byte.": leavesOut,
  "export-import-round-trip > Multi-part content, tool calls, reasoning, undone state, archive state, times and usage are all kept.":
    leavesOut,
  "missing-column-despite-version > ends as ok": noUpgrade,
  "missing-column-despite-version > value messages": noUpgrade,
  "missing-column-despite-version > value fields_present": noUpgrade,
  "missing-column-despite-version > The missing field is added although the number says that it is there.": noUpgrade,
  "one-bad-entry-in-the-middle > value shown": fromTables,
  "one-bad-entry-in-the-middle > value marked_bad": fromTables,
};
