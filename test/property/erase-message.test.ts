import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionDB } from "../../src/store/session-db.js";

type Action = (typeof ACTIONS)[number];
const ACTIONS = [
  "say",
  "replace",
  "active",
  "compact",
  "rewind",
  "restore",
  "react",
  "erase",
  "erase",
  "erase",
] as const;

/** Does one thing to a session; what is not possible at the moment is passed over. */
function act(db: SessionDB, session: string, action: Action, pick: number, words: Map<number, string>): void {
  const rows = db.getMessages(session, { include_inactive: true });
  const id = Number(rows[pick % Math.max(rows.length, 1)]?.id ?? 0);
  const say = (): { role: string; content: string } => ({ role: "user", content: `word${words.size}${pick}` });
  const note = (): void => {
    for (const row of db.getMessages(session, { include_inactive: true })) {
      if (row.display_kind === null && !words.has(Number(row.id))) words.set(Number(row.id), String(row.content));
    }
  };
  switch (action) {
    case "say":
      db.appendMessage({ session_id: session, ...say() });
      break;
    case "replace":
    case "active":
      db.replaceMessages(session, [say(), { role: "assistant", content: "answer" }], {
        active_only: action === "active",
      });
      break;
    case "compact":
      db.archiveAndCompact(session, [say()]);
      break;
    case "rewind":
      if (rows.some((row) => row.id === id && row.role === "user")) db.rewindToMessage(session, id);
      break;
    case "restore":
      db.restoreRewound(session, id);
      break;
    case "react":
      db.setMessageReaction(session, id, "x");
      break;
    case "erase":
      if (rows.length > 0) db.eraseMessage(session, id);
      break;
  }
  note();
}

test("after any history the log still explains the tables, and holds no word that was erased", () => {
  const step = fc.record({ session: fc.constantFrom("a", "b"), action: fc.constantFrom(...ACTIONS), pick: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const folder = mkdtempSync(join(tmpdir(), "hermes-ledger-erase-"));
      try {
        const db = SessionDB.open({ path: join(folder, "state.db"), clock: () => 1000 });
        const words = new Map<number, string>();
        for (const session_id of ["a", "b"]) db.createSession({ session_id, source: "cli" });
        for (const { session, action, pick } of steps) act(db, session, action, pick, words);

        expect(db.verify()).toMatchObject({ ok: true });
        const rows = ["a", "b"].flatMap((id) => db.getMessages(id, { include_inactive: true }));
        const log = JSON.stringify([...db.log.read()].map(({ payload }) => payload));
        for (const row of rows) {
          const word = words.get(Number(row.id));
          if (row.display_kind === "erased" && word !== "answer") expect(log).not.toContain(`"${String(word)}"`);
        }
        db.close();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 40 },
  );
});
