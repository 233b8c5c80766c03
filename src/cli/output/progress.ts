import { SingleBar } from "cli-progress";
import type { Progress } from "../../projections/index.js";
import type { Io } from "../io.js";

/** A progress bar that may be told how far the work is. */
export interface ProgressBar {
  readonly onProgress: (progress: Progress) => void;
  /** Takes the bar away again. */
  stop(): void;
}

/**
 * A bar on stderr while something takes long; nothing at all where stderr is no terminal. Each phase of the work starts
 * the bar anew.
 */
export function progressBar(io: Io): ProgressBar {
  const stream = io.stderr.terminal;
  if (stream === null) return { onProgress: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    stream,
    format: "{phase} [{bar}] {percentage} %",
    barsize: 30,
    barCompleteChar: "=",
    barIncompleteChar: " ",
    clearOnComplete: true,
    // A program that is killed in the middle must leave the terminal as it was.
    hideCursor: null,
    linewrap: null,
    // Ctrl-C is the command's business.
    gracefulExit: false,
  });
  let phase = "";
  return {
    onProgress: (progress) => {
      if (progress.phase !== phase) {
        phase = progress.phase;
        bar.stop();
        bar.start(Math.max(progress.total, 1), progress.done, { phase });
      }
      bar.update(progress.done, { phase });
    },
    stop: () => bar.stop(),
  };
}
