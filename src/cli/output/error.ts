import { CommanderError } from "commander";
import { LedgerError } from "../../events/index.js";
import type { Io } from "../io.js";
import { jsonText } from "./json.js";
import { styleOf } from "./style.js";
import { visibleText } from "./text.js";

/** Exit status of a command: done, refused or something found wrong, wrong usage. */
export type ExitStatus = 0 | 1 | 2;

/** A command line that says something that cannot be meant. */
export class UsageError extends LedgerError {
  constructor(message: string) {
    super("validation", "USAGE", message);
  }
}

/** The user said no, or could not be asked. */
export class NotConfirmedError extends LedgerError {
  constructor(message: string) {
    super("state", "NOT_CONFIRMED", message);
  }
}

/**
 * Tells the user what went wrong, on stderr, and returns the exit status. Who uses the program never sees a stack, except
 * with `HERMES_LEDGER_DEBUG=1`.
 */
export function reportError(io: Io, error: unknown, json: boolean): ExitStatus {
  if (error instanceof CommanderError) return reportCommander(io, error, json);
  const described = describeError(error);
  if (json) {
    io.stderr.write(`${jsonText({ error: described })}\n`);
  } else {
    io.stderr.write(`${styleOf(io, io.stderr).red("error:")} ${visibleText(described.message)}\n`);
  }
  if (io.env["HERMES_LEDGER_DEBUG"] === "1" && error instanceof Error) io.stderr.write(`${stackOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** Commander has written its own message already, unless it had to be JSON. */
function reportCommander(io: Io, error: CommanderError, json: boolean): ExitStatus {
  if (error.exitCode === 0) return 0;
  if (json) {
    const message = error.message.replace(/^error: /, "");
    io.stderr.write(`${jsonText({ error: { kind: "usage", code: error.code, message } })}\n`);
  }
  return 2;
}

interface ErrorDescription {
  readonly kind: string;
  readonly code: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

function describeError(error: unknown): ErrorDescription {
  if (error instanceof LedgerError) {
    const { kind, code, message, name: _name, ...fields } = error;
    return { ...snakeCase(fields), kind: error instanceof UsageError ? "usage" : kind, code, message };
  }
  if (isSystemError(error)) return { kind: "system", code: error.code, message: systemMessage(error) };
  const message = error instanceof Error ? error.message : String(error);
  return {
    kind: "unexpected",
    code: "UNEXPECTED",
    message: `Unexpected: ${message}. This is a fault of hermes-ledger; HERMES_LEDGER_DEBUG=1 shows where it comes from.`,
  };
}

/** What the operating system refuses: a file that may not be written, a full disk. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/** `ENOENT: no such file or directory, open 'x'` the other way round: `x: no such file or directory (ENOENT)`. */
function systemMessage(error: NodeJS.ErrnoException & { code: string }): string {
  const reason = /^[A-Z0-9]+: ([^,]+)/.exec(error.message)?.[1] ?? error.message;
  return `${error.path === undefined ? "" : `${error.path}: `}${reason} (${error.code})`;
}

/** The own fields of an error under the names of the JSON output. */
function snakeCase(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([key]) => key !== "cause")
      .map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
