import { EXIT } from './exit-codes';

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// Windows terminals deliver closing as SIGHUP as well; Node maps it.
const EXIT_OF: Readonly<Record<Signal, number>> = { SIGINT: EXIT.INTERRUPTED, SIGTERM: EXIT.TERMINATED, SIGHUP: 129 };

/** Reason of an abort that a signal asked for. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(
    readonly by: Signal,
    readonly exitCode: number,
  ) {
    super(`interrupted by ${by}`);
  }
}

/** Listens for the signals that end a command. */
export interface Interrupts {
  /** Aborts at the first signal; its reason is an Interrupted. */
  readonly signal: AbortSignal;
  /** Stops listening: the signals do what they do by default. */
  release(): void;
}

/**
 * Turns Ctrl-C, SIGTERM and a closed terminal into an abort signal. The second one ends the process at once.
 *
 * `onFirst` is called with the first one, to tell the person what happens now.
 */
export function listenForInterrupts(onFirst?: (signal: Signal) => void): Interrupts {
  const controller = new AbortController();
  const listener = (signal: Signal): void => {
    if (controller.signal.aborted) process.exit(EXIT_OF[signal]);
    onFirst?.(signal);
    controller.abort(new Interrupted(signal, EXIT_OF[signal]));
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of SIGNALS) process.removeListener(signal, listener);
    },
  };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
