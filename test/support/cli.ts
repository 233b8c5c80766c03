import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Io, Output } from "../../src/cli/io.js";
import { run } from "../../src/cli/program.js";

/** The world a command runs in. */
export interface CliWorld {
  /** Pretend that stdout and stderr are a terminal. */
  terminal?: boolean;
  columns?: number;
  env?: Record<string, string>;
  /** What the user types when asked; without it there is nobody to ask. */
  answer?: string;
  /** Ends a command that waits, as Ctrl-C does. */
  interrupt?: AbortSignal;
  /** Called with everything that stdout gets. */
  onStdout?: (text: string) => void;
  /** The reader goes after so many writes, as `| head` does. */
  readerLeavesAfter?: number;
}

/** What a command did. */
export interface CliResult {
  status: number;
  stdout: string;
  stderr: string;
  /** What the user was asked. */
  asked: string[];
}

/** Runs the command line in this process and captures what it says. */
export async function runCli(argv: string[], world: CliWorld = {}): Promise<CliResult> {
  const texts = { stdout: "", stderr: "" };
  const asked: string[] = [];
  let writes = 0;
  const output = (name: "stdout" | "stderr"): Output => ({
    write: (text) => {
      if (name === "stdout" && closed()) return;
      texts[name] += text;
      if (name === "stdout") {
        writes += 1;
        world.onStdout?.(text);
      }
    },
    drained: async () => {},
    get closed() {
      return name === "stdout" && closed();
    },
    terminal: world.terminal === true ? terminal(name) : null,
    columns: world.terminal === true ? (world.columns ?? 80) : null,
  });
  const closed = (): boolean => writes >= (world.readerLeavesAfter ?? Infinity);
  const terminal = (name: "stdout" | "stderr"): NodeJS.WritableStream => {
    const stream = new PassThrough();
    stream.on("data", (chunk: Buffer) => (texts[name] += chunk.toString()));
    return Object.assign(stream, { isTTY: true, columns: world.columns ?? 80 });
  };
  const io: Io = {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: world.env ?? {},
    ask: async (question) => {
      asked.push(question);
      return world.answer ?? null;
    },
    interrupted: () => world.interrupt ?? new AbortController().signal,
  };
  const status = await run(argv, io);
  return { status, ...texts, asked };
}

/** The document that a command printed with `--json`. */
export function documentOf<T = Record<string, unknown>>(result: CliResult): T {
  return JSON.parse(result.stdout) as T;
}

/** A directory of its own for a test file, and files in it. */
export function scratch(): {
  directory: string;
  path: (name: string) => string;
  write: (name: string, text: string) => string;
  remove: () => void;
} {
  const directory = mkdtempSync(join(tmpdir(), "hermes-ledger-cli-"));
  const path = (name: string): string => join(directory, name);
  return {
    directory,
    path,
    write: (name, text) => {
      writeFileSync(path(name), text);
      return path(name);
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
