/**
 * The full-text side of `messages`: what is indexed, where, and the triggers that keep it so.
 *
 * All indexes have external content: they hold no text of their own, so whatever takes a row out of one must give the
 * very text that went in. During a step-wise backfill some ids are not indexed yet, and taking such a row out would
 * damage the index; therefore every trigger asks the gate first.
 *
 * Each index names its content table as documented, without braces: SQLite keeps that text when tables are renamed,
 * and only integrity checks, rebuilds and reads of columns go through it, never the triggers.
 */

/** A full-text index over `messages`: SQL that makes its parts, with names in braces. */
export interface MessagesIndex {
  /** Name of the FTS5 table. */
  readonly name: string;
  /** The view with the indexed messages, or null where that is the whole table. */
  readonly source: string | null;
  /** The FTS5 table. */
  readonly table: string;
  /** The triggers that keep the index, by name. */
  readonly triggers: Readonly<Record<string, string>>;
}

/** Keys in `state_meta` that hold the state of a backfill. */
interface Gate {
  /** Ids above this one were written since the backfill began and are indexed; absent when none is pending. */
  readonly highWater: string;
  /** Ids up to this one are indexed again. */
  readonly progress: string;
}

/** Whether the message with this id is indexed: true for all where no backfill is pending. */
function indexed(id: string, gate: Gate): string {
  const marker = (key: string): string =>
    `COALESCE((SELECT CAST(value AS INTEGER) FROM {state_meta} WHERE key = '${key}'), -1)`;
  return `(${id} > ${marker(gate.highWater)} OR ${id} <= ${marker(gate.progress)})`;
}

function addRow(index: string): string {
  return `INSERT INTO {${index}} (rowid, content, tool_name, tool_calls)
    SELECT new.id, new.content, new.tool_name, new.tool_calls`;
}

function removeRow(index: string): string {
  return `INSERT INTO {${index}} ({${index}}, rowid, content, tool_name, tool_calls)
    SELECT 'delete', old.id, old.content, old.tool_name, old.tool_calls`;
}

const TEXT_CHANGED = `old.content IS NOT new.content OR old.tool_name IS NOT new.tool_name
    OR old.tool_calls IS NOT new.tool_calls`;

function trigger(name: string, event: "INSERT" | "DELETE" | "UPDATE", when: string, steps: readonly string[]): string {
  return `CREATE TRIGGER {${name}} AFTER ${event} ON {messages} FOR EACH ROW
  WHEN ${when}
  BEGIN
    ${steps.map((step) => `${step};`).join("\n    ")}
  END`;
}

const wordGate: Gate = { highWater: "fts_rebuild_high_water", progress: "fts_rebuild_progress" };

/** `messages_fts`: every message, by words. */
export const messagesFts: MessagesIndex = {
  name: "messages_fts",
  source: null,
  table: `CREATE VIRTUAL TABLE {messages_fts} USING fts5(
    content, tool_name, tool_calls, content='messages', content_rowid='id'
  )`,
  triggers: {
    messages_fts_insert: trigger("messages_fts_insert", "INSERT", indexed("new.id", wordGate), [
      addRow("messages_fts"),
    ]),
    messages_fts_delete: trigger("messages_fts_delete", "DELETE", indexed("old.id", wordGate), [
      removeRow("messages_fts"),
    ]),
    messages_fts_update: trigger(
      "messages_fts_update",
      "UPDATE",
      `(${TEXT_CHANGED}) AND ${indexed("old.id", wordGate)}`,
      [removeRow("messages_fts"), addRow("messages_fts")],
    ),
  },
};

/** An index over the messages that are no tool results, made by another tokenizer. */
export function conversationIndex(name: string, tokenizer: string, gate: Gate): MessagesIndex {
  const inserted = `new.role <> 'tool'`;
  const removed = `old.role <> 'tool'`;
  const changed = `(${TEXT_CHANGED} OR old.role IS NOT new.role)`;
  return {
    name,
    source: `CREATE VIEW {${name}_src} AS
    SELECT id, role, content, tool_name, tool_calls FROM {messages} WHERE role <> 'tool'`,
    table: `CREATE VIRTUAL TABLE {${name}} USING fts5(
    content, tool_name, tool_calls, content='${name}_src', content_rowid='id', tokenize='${tokenizer}'
  )`,
    triggers: {
      [`${name}_insert`]: trigger(`${name}_insert`, "INSERT", `${inserted} AND ${indexed("new.id", gate)}`, [
        addRow(name),
      ]),
      [`${name}_delete`]: trigger(`${name}_delete`, "DELETE", `${removed} AND ${indexed("old.id", gate)}`, [
        removeRow(name),
      ]),
      [`${name}_update`]: trigger(`${name}_update`, "UPDATE", `${changed} AND ${indexed("old.id", gate)}`, [
        `${removeRow(name)} WHERE ${removed}`,
        `${addRow(name)} WHERE ${inserted}`,
      ]),
    },
  };
}

/** `messages_fts_trigram`: messages other than tool results, by parts of words. It shares the gate of the first. */
export const messagesFtsTrigram = conversationIndex("messages_fts_trigram", "trigram", wordGate);

/** `messages_fts_cjk`: like the trigram index, for Chinese, Japanese and Korean; needs a loadable tokenizer. */
export const messagesFtsCjk = conversationIndex("messages_fts_cjk", "cjk_unicode61", {
  highWater: "fts_cjk_rebuild_high_water",
  progress: "fts_cjk_rebuild_progress",
});

/** The indexes every file has. */
export const messagesIndexes: readonly MessagesIndex[] = [messagesFts, messagesFtsTrigram];

/** The statements that make an index, in order. */
export function indexStatements(index: MessagesIndex): readonly string[] {
  const source = index.source === null ? [] : [index.source];
  return [...source, index.table, ...Object.values(index.triggers)];
}
