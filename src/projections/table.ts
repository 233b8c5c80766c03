/** A column of a documented table: its declaration, and through `Value` the type of its values in a row. */
export interface Column<Value = unknown> {
  readonly declaredType: "TEXT" | "INTEGER" | "REAL";
  readonly notNull: boolean;
  /** Default as SQL text, or null for none. */
  readonly defaultSql: string | null;
  /** Clauses after type, NOT NULL and DEFAULT: a key or a reference. */
  readonly clause: string;
  /** True for a column that a fresh file lacks; the first event that needs it adds it (see {@link addColumnSql}). */
  readonly onDemand: boolean;
  /** Never set; carries the value type. */
  readonly value?: Value;
}

/**
 * A table: its columns in the order of a fresh file, its key, its indexes. `schema` is the SQL that makes it, with the
 * names of the table and its indexes in braces, so that the same definition can be built under another name. What a
 * reference points at is written as documented, without braces: SQLite keeps that text when a table is renamed, so a
 * table that was built aside and renamed into place must already say the final name.
 */
export interface Table<Columns extends Record<string, Column> = Record<string, Column>> {
  readonly name: string;
  readonly columns: Columns;
  /** Names of the key columns, for comparing and addressing rows. Empty for a table without a key. */
  readonly key: readonly string[];
  /** CREATE TABLE and CREATE INDEX statements, in order; columns on demand are not in them. */
  readonly schema: readonly string[];
  /**
   * CREATE INDEX statements of indexes beyond the documented ones, their names beginning with `ledger_`. They make
   * queries faster and mean nothing for the rows: a file without them is as good, and a rebuild gives them to it.
   */
  readonly ownIndexes: readonly string[];
}

/** The row type of a table: column name to value. */
export type RowOf<T> =
  T extends Table<infer Columns>
    ? { [K in keyof Columns]: Columns[K] extends Column<infer Value> ? Value : never }
    : never;

interface ColumnOptions {
  readonly notNull?: boolean;
  readonly default?: string | number;
  readonly clause?: string;
  readonly onDemand?: boolean;
}

type Nullable<Value, Options> = Options extends { notNull: true } ? Value : Value | null;

/** A TEXT column. */
export function text<const O extends ColumnOptions = Record<never, never>>(options?: O): Column<Nullable<string, O>> {
  return column("TEXT", options);
}

/** An INTEGER column. Values are numbers; beyond 2^53 they arrive as bigint. */
export function integer<const O extends ColumnOptions = Record<never, never>>(
  options?: O,
): Column<Nullable<number, O>> {
  return column("INTEGER", options);
}

/** A REAL column; times are epoch seconds. */
export function real<const O extends ColumnOptions = Record<never, never>>(options?: O): Column<Nullable<number, O>> {
  return column("REAL", options);
}

function column<Value>(declaredType: Column["declaredType"], options: ColumnOptions = {}): Column<Value> {
  return {
    declaredType,
    notNull: options.notNull ?? false,
    defaultSql: defaultSql(options.default),
    clause: options.clause ?? "",
    onDemand: options.onDemand ?? false,
  };
}

function defaultSql(value: string | number | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/**
 * Defines a table from its columns. `constraints` are table constraints (composite keys); `indexes` maps each index
 * name to what follows `ON` with the table in braces, e.g. `"{messages}(session_id, id)"`, a leading `UNIQUE ` making
 * it unique; `ownIndexes` are the indexes beyond the documented ones, in the same form.
 */
export function defineTable<const Columns extends Record<string, Column>>(definition: {
  name: string;
  columns: Columns;
  key: readonly (keyof Columns & string)[];
  constraints?: readonly string[];
  indexes?: Readonly<Record<string, string>>;
  ownIndexes?: Readonly<Record<`ledger_${string}`, string>>;
}): Table<Columns> {
  const { name, columns, key, constraints = [], indexes = {}, ownIndexes = {} } = definition;
  const declared = Object.entries(columns).filter(([, spec]) => !spec.onDemand);
  const lines = [...declared.map(([column, spec]) => columnSql(column, spec)), ...constraints];
  const schema = [
    `CREATE TABLE {${name}} (\n  ${lines.join(",\n  ")}\n)`,
    ...Object.entries(indexes).map(([index, on]) => indexSql(index, on)),
  ];
  return {
    name,
    columns,
    key,
    schema,
    ownIndexes: Object.entries(ownIndexes).map(([index, on]) => indexSql(index, on)),
  };
}

/** The statement that adds a column on demand to its table, with the table's name in braces. */
export function addColumnSql<Name extends string>(table: Table<Record<Name, Column>>, name: NoInfer<Name>): string {
  return `ALTER TABLE {${table.name}} ADD COLUMN ${columnSql(name, table.columns[name])}`;
}

function columnSql(name: string, column: Column): string {
  const parts = [name, column.declaredType];
  if (column.notNull) parts.push("NOT NULL");
  if (column.defaultSql !== null) parts.push(`DEFAULT ${column.defaultSql}`);
  if (column.clause !== "") parts.push(column.clause);
  return parts.join(" ");
}

function indexSql(name: string, on: string): string {
  const unique = on.startsWith("UNIQUE ");
  return `CREATE ${unique ? "UNIQUE " : ""}INDEX {${name}} ON ${unique ? on.slice("UNIQUE ".length) : on}`;
}
