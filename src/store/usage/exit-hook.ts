/** Work that must not be lost when the process stops. */
interface Unfinished {
  /** Finishes it now; the event loop does not turn any more. */
  finish(): void;
}

const waiting = new Set<Unfinished>();
let hooked = false;

/** Has `work` finished when the process ends, unless {@link forgetAtExit} is called before. */
export function finishAtExit(work: Unfinished): void {
  waiting.add(work);
  if (hooked) return;
  hooked = true;
  // One listener for all stores of the process, however many are opened.
  process.on("exit", () => {
    for (const unfinished of [...waiting]) unfinished.finish();
  });
}

/** Ends what {@link finishAtExit} began. */
export function forgetAtExit(work: Unfinished): void {
  waiting.delete(work);
}
