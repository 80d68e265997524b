import { constants } from 'node:os';
import type { Log } from './telemetry/log';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Signals that ask a process to end: Ctrl-C, a supervisor, a closed terminal. */
export type ShutdownSignal = (typeof SIGNALS)[number];

export interface ShutdownOptions {
  /** Begins an orderly end; must not throw. */
  readonly stop: (signal: ShutdownSignal) => void;
  readonly log: Log;
  /** Ends the process at once; `process.exit` by default. */
  readonly exit?: (code: number) => void;
}

/**
 * Turns the process's signals into an orderly end: the first one stops, a second one ends the process at once with
 * 128 + its number. Returns a function that takes the handlers off again.
 */
export function onShutdownSignal({ stop, log, exit = (code) => process.exit(code) }: ShutdownOptions): () => void {
  let stopping = false;
  const handle = (signal: ShutdownSignal): void => {
    if (stopping) {
      log.warn({ signal }, 'Ends at once; what is left is removed at the next start');
      return exit(128 + constants.signals[signal]);
    }
    stopping = true;
    log.info({ signal }, 'Stops; running programs may end within the grace time');
    stop(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
