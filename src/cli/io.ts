import { createInterface } from "node:readline/promises";

/** Where a command writes to. */
export interface Output {
  /** Writes a text as it is. After the reader has gone it does nothing. */
  write(text: string): void;
  /** Resolves once the reader keeps up again; long outputs wait for it now and then. */
  drained(): Promise<void>;
  /** Whether the reader has gone (`| head`): there is no use in going on. */
  readonly closed: boolean;
  /** The terminal it leads to, or null for a file or pipe. */
  readonly terminal: NodeJS.WritableStream | null;
  /** Columns of the terminal, or null when it has none to tell. */
  readonly columns: number | null;
}

/** The world around a command: what it may read and write. Tests bring their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks on the terminal and returns the answer; null when there is no terminal to ask on. */
  ask(question: string): Promise<string | null>;
  /** A signal that Ctrl-C aborts from the first call on; before, Ctrl-C ends the program at once. */
  interrupted(): AbortSignal;
}

/** The world of this process. */
export function processIo(): Io {
  let controller: AbortController | undefined;
  return {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    env: process.env,
    ask: async (question) => {
      if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
      const reader = createInterface({ input: process.stdin, output: process.stderr });
      const ended = new Promise<string>((resolve) => {
        reader.once("close", () => resolve("\n"));
      });
      try {
        // Ctrl-D and Ctrl-C close the reader without an answer, which counts as an empty one.
        const answer = await Promise.race([reader.question(question), ended]);
        if (answer === "\n") process.stderr.write("\n");
        return answer;
      } finally {
        reader.close();
      }
    },
    interrupted: () => {
      if (controller === undefined) {
        const aborting = (controller = new AbortController());
        // Once: a second Ctrl-C ends the program.
        process.once("SIGINT", () => aborting.abort());
      }
      return controller.signal;
    },
  };
}

function output(stream: NodeJS.WriteStream): Output {
  let closed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closed = true;
  });
  return {
    write: (text) => {
      if (!closed) stream.write(text);
    },
    drained: async () => {
      // A turn of the event loop, so that a reader that has gone and Ctrl-C are noticed.
      await new Promise(setImmediate);
      if (closed || !stream.writableNeedDrain) return;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          stream.off("drain", done).off("error", done).off("close", done);
          resolve();
        };
        stream.on("drain", done).on("error", done).on("close", done);
      });
    },
    get closed() {
      return closed;
    },
    terminal: stream.isTTY ? stream : null,
    get columns() {
      return stream.isTTY ? stream.columns : null;
    },
  };
}
