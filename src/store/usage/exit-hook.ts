/** Work that must not be lost when the process stops. */
interface Unfinished {
  /** Finishes it now; the event loop does not turn any more. */
  finish(): void;
}

/** Signals that end a process which does not listen to them. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

const waiting = new Set<Unfinished>();
let hooked = false;

/** Has `work` finished when the process ends or a signal ends it, unless {@link forgetAtExit} is called before. */
export function finishAtExit(work: Unfinished): void {
  waiting.add(work);
  if (hooked) return;
  hooked = true;
  // One listener for all stores of the process, however many are opened. It stays: a signal that comes in while a
  // listener is taken off would be swallowed.
  process.on("exit", finishAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

/** Ends what {@link finishAtExit} began. */
export function forgetAtExit(work: Unfinished): void {
  waiting.delete(work);
}

function finishAll(): void {
  for (const unfinished of [...waiting]) unfinished.finish();
}

function onSignal(signal: NodeJS.Signals): void {
  finishAll();
  if (process.listenerCount(signal) > 1) return;
  // Without this listener the signal would have ended the process; now it does.
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}
