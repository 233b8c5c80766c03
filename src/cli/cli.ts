import type { Command } from "commander";
import { SessionDB } from "../store/session-db.js";
import type { Io } from "./io.js";
import type { ExitStatus } from "./output/error.js";
import { jsonText } from "./output/json.js";
import { styleOf, widthOf, type Style } from "./output/style.js";

/** What a command works with: the world, and what the global options say. */
export interface Cli {
  readonly io: Io;
  /** `--json`: results are JSON, for programs. */
  readonly json: boolean;
  /** `--db`, or the documented location when it is undefined. */
  readonly path: string | undefined;
  /** Colours of stdout. */
  readonly style: Style;
  /** Columns of stdout. */
  readonly width: number;
}

/** The action of a command: commander calls it on the command, with arguments and options. */
type Action<Args extends unknown[]> = (this: Command, ...args: Args) => Promise<void>;

/** What a command does; it is done then, or resolves with another status. */
type Body<Args extends unknown[]> = (cli: Cli, ...args: Args) => Promise<void> | Promise<ExitStatus>;

/** Makes the action of a command from what it does. */
export type Runner = <Args extends unknown[]>(body: Body<Args>) => Action<Args>;

/** The command's view of the world and the global options. */
export function cliOf(io: Io, globals: { readonly db?: string; readonly json?: boolean }): Cli {
  return { io, json: globals.json ?? false, path: globals.db, style: styleOf(io), width: widthOf(io) };
}

/** Runs `body` with the store opened for reading; a missing file is an error. */
export async function withReadStore<T>(cli: Cli, body: (db: SessionDB) => T | Promise<T>): Promise<T> {
  return withStore(cli, { readOnly: true, create: false }, body);
}

/** Runs `body` with the store opened for writing; a missing file is made only with `create`. */
export async function withWriteStore<T>(
  cli: Cli,
  body: (db: SessionDB) => T | Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  return withStore(cli, { create }, body);
}

async function withStore<T>(
  cli: Cli,
  options: { readonly readOnly?: boolean; readonly create: boolean },
  body: (db: SessionDB) => T | Promise<T>,
): Promise<T> {
  const onNotice = ({ message }: { readonly message: string }): void => cli.io.stderr.write(`note: ${message}\n`);
  const db = SessionDB.open({ path: cli.path, ...options, onNotice });
  try {
    return await body(db);
  } finally {
    db.close();
  }
}

/** Prints a result: one JSON document with `--json`, else the text for people. */
export function print(cli: Cli, document: object, people: () => string): void {
  cli.io.stdout.write(cli.json ? `${jsonText(document)}\n` : `${people()}\n`);
}

const LINES_BETWEEN_PAUSES = 64;

/** Prints line by line, no faster than they are read; ends early when the reader has gone. */
export async function printLines(cli: Cli, lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  let count = 0;
  for await (const line of lines) {
    cli.io.stdout.write(`${line}\n`);
    count += 1;
    if (count % LINES_BETWEEN_PAUSES === 0) await cli.io.stdout.drained();
    if (cli.io.stdout.closed) return;
  }
}
