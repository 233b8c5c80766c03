import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { chainHash, GENESIS_HASH, headerText, payloadHash, type EventHeader } from "../../src/events/index.js";
import { newSalt } from "../../src/events/hash-chain.js";
import { ledgerFile, rowsOf, tamper } from "../support/ledger-file.js";

const header: EventHeader = {
  position: 7,
  event_id: "0190-event",
  stream_id: "s1",
  stream_version: 3,
  type: "MetaSet",
  schema_version: 1,
  recorded_at: 1000.25,
  origin: "store",
  metadata: '{"actor":"me"}',
};
const sha256 = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("the hashes", () => {
  test("are what the format says", () => {
    const salt = Uint8Array.from({ length: 16 }, (_, i) => i);
    const payload = '{"key":"ключ","value":"🔑"}';
    expect(hex(payloadHash(salt, payload))).toBe(sha256(salt, Buffer.from(payload, "utf8")));
    expect(headerText(header)).toBe('[7,"0190-event","s1",3,"MetaSet",1,1000.25,"store","{\\"actor\\":\\"me\\"}"]');
    expect(hex(chainHash(GENESIS_HASH, header, payloadHash(salt, payload)))).toBe(
      sha256(new Uint8Array(32), headerText(header), payloadHash(salt, payload)),
    );
  });

  test.each<Partial<EventHeader>>([
    { position: 8 },
    { event_id: "0190-evenu" },
    { stream_id: "s2" },
    { stream_version: 4 },
    { type: "MetaSit" },
    { schema_version: 2 },
    { recorded_at: 1000.2500001 },
    { origin: "import" },
    { metadata: null },
    { metadata: "null" },
    { stream_id: 's1",3,"x' },
  ])("a header with %o has another hash", (change) => {
    const payload_hash = payloadHash(newSalt(), "{}");
    expect(hex(chainHash(GENESIS_HASH, { ...header, ...change }, payload_hash))).not.toBe(
      hex(chainHash(GENESIS_HASH, header, payload_hash)),
    );
  });

  test("salts are 16 bytes and none comes twice", () => {
    const salts = Array.from({ length: 1000 }, newSalt);
    expect(new Set(salts.map(hex)).size).toBe(1000);
    expect(salts.every((salt) => salt.length === 16)).toBe(true);
  });
});

describe("the chain of a file", () => {
  const filled = (): ReturnType<typeof ledgerFile> => {
    const file = ledgerFile();
    file.session("s", "t");
    file.db.log.append(
      { type: "MessageAppended", payload: { session_id: "s", message: { role: "user", content: "hi" } } },
      { metadata: { actor: "me" } },
    );
    file.say("t", "there");
    file.db.log.append({ type: "MetaSet", payload: { key: "k", value: "v" } });
    return file;
  };

  test("can be walked with nothing but SHA-256, from 32 zero bytes on", () => {
    const { db, path } = filled();
    let previous = "0".repeat(64);
    const rows = rowsOf(
      path,
      `SELECT position, event_id, stream_id, stream_version, type, schema_version, recorded_at, origin, metadata,
        payload, salt, payload_hash, hash FROM ledger_events ORDER BY position`,
    ) as [...unknown[], string, Buffer, Buffer, Buffer][];
    expect(rows).toHaveLength(5);
    for (const row of rows) {
      const [payload, salt, payload_hash, hash] = row.slice(9) as [string, Buffer, Buffer, Buffer];
      expect(payload_hash.toString("hex")).toBe(sha256(salt, payload));
      expect(hash.toString("hex")).toBe(
        sha256(Buffer.from(previous, "hex"), JSON.stringify(row.slice(0, 9)), payload_hash),
      );
      previous = hash.toString("hex");
    }
    expect(db.log.head().hash).toBe(previous);
  });

  test("the same payload has another hash each time, so that an erased one cannot be guessed", () => {
    const { db, path } = ledgerFile();
    for (let i = 0; i < 3; i++) db.log.append({ type: "MetaSet", payload: { key: "k", value: "v" } });
    expect(rowsOf(path, "SELECT count(DISTINCT payload_hash), count(DISTINCT payload) FROM ledger_events")).toEqual([
      [3, 1],
    ]);
  });

  test.each([
    "event_id = 'other'",
    "stream_id = 'other', stream_version = 1",
    "stream_version = 99",
    "type = 'MetaSet'",
    "schema_version = 2",
    "recorded_at = recorded_at + 0.001",
    "origin = 'import'",
    "metadata = NULL",
    `metadata = '{"actor":"you"}'`,
    "payload = replace(payload, 'hi', 'ho')",
    "salt = randomblob(16)",
    "salt = NULL",
    "payload_hash = randomblob(32)",
    "payload_hash = NULL",
    "hash = randomblob(32)",
    "hash = NULL",
    "hash = x''",
  ])("a changed event is noticed at its place: %s", (change) => {
    const { db, path } = filled();
    expect(db.verify()).toMatchObject({ ok: true, chain: { ok: true, problem: null } });
    tamper(path, `UPDATE ledger_events SET ${change} WHERE position = 3`);
    expect(db.verify()).toMatchObject({ ok: false, chain: { ok: false, events: 5, problem: { position: 3 } } });
  });

  test("somebody who hashes the changed event again is noticed at the next", () => {
    const { db, path } = filled();
    tamper(path, "UPDATE ledger_events SET payload = replace(payload, 'hi', 'ho') WHERE position = 3");
    const [row] = rowsOf(
      path,
      `SELECT position, event_id, stream_id, stream_version, type, schema_version, recorded_at, origin, metadata,
        payload, salt FROM ledger_events WHERE position = 3`,
    ) as unknown[][];
    const [before] = rowsOf(path, "SELECT hash FROM ledger_events WHERE position = 2") as [Buffer][];
    const payload_hash = sha256(row?.[10] as Buffer, row?.[9] as string);
    const hash = sha256(before?.[0] ?? "", JSON.stringify(row?.slice(0, 9)), Buffer.from(payload_hash, "hex"));
    tamper(path, `UPDATE ledger_events SET payload_hash = x'${payload_hash}', hash = x'${hash}' WHERE position = 3`);
    expect(db.verify().chain).toMatchObject({ ok: false, problem: { position: 4, problem: "event changed" } });
  });

  test("erasure keeps the chain and the head", () => {
    const { db, path } = filled();
    const head = db.log.head();
    db.deleteSession("s");
    const report = db.verify({ head });
    expect(report).toMatchObject({ ok: true, chain: { ok: true, events: 6, erased: 2 } });
    expect(
      rowsOf(path, "SELECT position, payload IS NULL, salt IS NULL, payload_hash IS NULL FROM ledger_events"),
    ).toEqual([
      [1, 1, 1, 0],
      [2, 0, 0, 0],
      [3, 1, 1, 0],
      [4, 0, 0, 0],
      [5, 0, 0, 0],
      [6, 0, 0, 0],
    ]);
    expect([...db.log.read({ streamId: "s" })]).toMatchObject([
      { position: 1, type: "SessionCreated", erased: true, payload: null },
      { position: 3, type: "MessageAppended", erased: true, payload: null, metadata: { actor: "me" } },
    ]);
  });
});
