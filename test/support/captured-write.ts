import { allRows } from "../../src/store/rows.js";
import type { Store } from "../../src/store/store.js";
import type { EventPayloads } from "../../src/events/index.js";
import {
  documentedProjections,
  exactNumbers,
  type SqlRow,
  type SqlValue,
  type Table,
} from "../../src/projections/index.js";

type Captured = EventPayloads["RowCaptured"];

/** The documented tables by name. */
export const documentedTables: ReadonlyMap<string, Table> = new Map(
  documentedProjections.flatMap(({ tables }) => tables).map((table) => [table.name, table]),
);

/** What another program does to a table: which row, which column, which value. */
export interface ForeignWrite {
  readonly operation: Captured["operation"];
  readonly pick: number;
  readonly text: string;
}

/**
 * Another program changes a row, and that is captured. Nothing happens where the table has no row. Sessions are not
 * deleted: what cascades from them would be captured in events of its own.
 */
export function captureWrite(store: Store, name: string, write: ForeignWrite): void {
  store.write((tx) => {
    const table = documentedTables.get(name);
    const exists = allRows(tx.db, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name).length > 0;
    if (table === undefined || !exists) return;
    const rows = tx.db.prepare<[], SqlRow>(`SELECT * FROM ${name} ORDER BY ${table.key.join(", ") || "1"}`);
    const all = rows.safeIntegers(true).all();
    const row = all[write.pick % Math.max(all.length, 1)];
    if (row === undefined) return;
    const payload = captured(table, exactNumbers(row), write);
    if (payload !== null) tx.append({ type: "RowCaptured", payload }, { origin: "capture" });
  });
}

function captured(table: Table, row: Readonly<SqlRow>, { operation, pick, text }: ForeignWrite): Captured | null {
  const keyColumns = table.key.length > 0 ? table.key : Object.keys(row);
  const key = columns(row, keyColumns);
  const about = { table: table.name, key };
  // A table without a key is a single row, which others may touch and not multiply.
  if (table.key.length === 0) return { ...about, operation: "update", values: columns(row, Object.keys(row)) };
  if (operation === "delete") {
    return table.name === "sessions" ? null : { ...about, operation, values: null };
  }
  const all = columns(row, Object.keys(row));
  if (operation === "update") {
    const changeable = Object.keys(row).filter((column) => !keyColumns.includes(column));
    const column = changeable[pick % changeable.length];
    if (column === undefined) return null;
    return { ...about, operation, values: { ...all, [column]: otherValue(table, column, pick, text) } };
  }
  const last = table.key.at(-1) ?? "";
  const fresh = table.columns[last]?.declaredType === "TEXT" ? `other ${text}` : 1000 + pick;
  const unique = table.name === "sessions" ? { title: null } : {};
  const values = { ...all, ...unique, [last]: fresh };
  return { ...about, operation, key: { ...key, [last]: fresh }, values };
}

function columns(row: Readonly<SqlRow>, names: readonly string[]): Captured["key"] {
  return Object.fromEntries(names.map((name) => [name, plain(row[name] ?? null)]));
}

function plain(value: SqlValue): Captured["key"][string] {
  return value instanceof Uint8Array ? new Uint8Array(value) : value;
}

function otherValue(table: Table, column: string, pick: number, text: string): string | number {
  const type = table.columns[column]?.declaredType;
  if (type === "TEXT") return text;
  return type === "INTEGER" ? pick % 2 : pick + 0.5;
}
