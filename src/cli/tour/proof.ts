import Database from "better-sqlite3";
import { createHash } from "node:crypto";
import { documentedProjections, OPERATIONAL_META, type Table } from "../../projections/index.js";

/** What the documented tables hold, in short. */
export interface Fingerprint {
  /** SHA-256 over every value of every row, hexadecimal. */
  readonly sha256: string;
  readonly rows: number;
}

/**
 * A fingerprint of all documented tables: every row in order of its key, every value with its storage class. Only the
 * notes of index maintenance are left out, which are not derived from the log.
 */
export function fingerprint(path: string): Fingerprint {
  const db = new Database(path, { readonly: true });
  try {
    const hash = createHash("sha256");
    let rows = 0;
    for (const table of tablesOf(db)) {
      hash.update(`table ${table.name}\n`);
      for (const row of db.prepare(everyRow(table)).raw().safeIntegers().iterate()) {
        if (!Array.isArray(row)) continue;
        for (const value of row) hash.update(valueText(value));
        hash.update("\n");
        rows += 1;
      }
    }
    return { sha256: hash.digest("hex"), rows };
  } finally {
    db.close();
  }
}

/**
 * Empties every documented table behind the store's back, as a broken program might. The triggers go first, so that
 * nothing records or follows the deletion. Returns how many rows went.
 */
export function wreckTables(path: string): number {
  const db = new Database(path);
  try {
    db.pragma("foreign_keys = OFF");
    return db
      .transaction(() => {
        const triggers = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all();
        for (const name of triggers) db.exec(`DROP TRIGGER "${name}"`);
        return tablesOf(db).reduce((sum, table) => {
          return sum + db.prepare(`DELETE FROM ${table.name} ${derivedRows(table)}`).run().changes;
        }, 0);
      })
      .immediate();
  } finally {
    db.close();
  }
}

/** The documented tables that the file has; some are only made when they are needed. */
function tablesOf(db: Database.Database): Table[] {
  const there = new Set(db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  return documentedProjections.flatMap(({ tables }) => tables).filter(({ name }) => there.has(name));
}

function everyRow(table: Table): string {
  const order = table.key.length > 0 ? table.key : Object.keys(table.columns);
  return `SELECT * FROM ${table.name} ${derivedRows(table)} ORDER BY ${order.join(", ")}`;
}

/** The condition for the rows that the log explains: all but the notes of index maintenance. */
function derivedRows({ name }: Table): string {
  return name === "state_meta" ? `WHERE key NOT LIKE '${OPERATIONAL_META}' ESCAPE '\\'` : "";
}

/** A value, so that no two values of different kinds look alike. */
function valueText(value: unknown): string {
  if (value instanceof Uint8Array) return `blob ${Buffer.from(value).toString("hex")};`;
  // Integers are read as bigint, so numbers are reals.
  return typeof value === "bigint" ? `integer ${value};` : `${typeof value} ${JSON.stringify(value)};`;
}
