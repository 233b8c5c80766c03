import Database from "better-sqlite3";

/** What the full-text indexes of a file hold, as the recorded traces of their maintenance write it. */
export interface IndexState {
  readonly indexed_ids: Readonly<Record<"base" | "trigram" | "cjk", unknown>>;
  readonly meta: Readonly<Record<string, string>>;
  readonly triggers: Readonly<Record<"base" | "trigram" | "cjk", number>>;
  readonly trash_tables: number;
  readonly layout: string;
  /** Only where no backfill is pending. */
  readonly integrity?: Readonly<Record<string, string>>;
}

const INDEXES = { base: "messages_fts", trigram: "messages_fts_trigram", cjk: "messages_fts_cjk" } as const;

/** Works on a file as another program would, and closes it. */
export function openRaw<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Reads the state of the indexes; integrity is asked for where the recorded state has it. */
export function indexState(path: string, { integrity, layout }: Pick<IndexState, "integrity" | "layout">): IndexState {
  return openRaw(path, (db) => {
    const names = db.prepare<[], string>("SELECT name FROM sqlite_schema").pluck().all();
    const each = <T>(of: (index: string) => T): Record<keyof typeof INDEXES, T> => ({
      base: of(INDEXES.base),
      trigram: of(INDEXES.trigram),
      cjk: of(INDEXES.cjk),
    });
    const state = {
      indexed_ids: each((index) =>
        names.includes(index) ? db.prepare(`SELECT id FROM ${index}_docsize ORDER BY id`).pluck().all() : null,
      ),
      meta: Object.fromEntries(
        db
          .prepare<[], [string, string]>("SELECT key, value FROM state_meta WHERE key LIKE 'fts~_%' ESCAPE '~'")
          .raw()
          .all(),
      ),
      triggers: each(
        (index) =>
          names.filter((name) => ["insert", "delete", "update"].some((event) => name === `${index}_${event}`)).length,
      ),
      trash_tables: names.filter((name) => name.startsWith("fts_v22_trash_")).length,
      layout,
    };
    if (integrity === undefined) return state;
    return { ...state, integrity: { base: check(db, INDEXES.base), trigram: check(db, INDEXES.trigram) } };
  });
}

/** Whether an index says what its messages say. */
function check(db: Database.Database, index: string): string {
  try {
    db.exec(`INSERT INTO ${index}(${index}, rank) VALUES ('integrity-check', 1)`);
    return "ok";
  } catch {
    return "inconsistent";
  }
}
