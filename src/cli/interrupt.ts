import { onShutdownSignal, type ShutdownSignal } from '../shutdown';
import { SILENT } from '../telemetry/log';
import { Interrupted } from './errors';

/** Listens for the signals that end a command. */
export interface Interrupts {
  /** Aborts at the first signal; its reason is an Interrupted. */
  readonly signal: AbortSignal;
  /** Resolves when the first signal came. */
  readonly interrupted: Promise<Interrupted>;
  /** Stops listening: the signals do what they do by default. */
  release(): void;
}

/**
 * Turns Ctrl-C, SIGTERM and a closed terminal into an abort signal. The second one ends the process at once.
 *
 * `onFirst` is called with the first one, to tell the person what happens now.
 */
export function listenForInterrupts(onFirst?: (signal: ShutdownSignal) => void): Interrupts {
  const controller = new AbortController();
  let release = (): void => undefined;
  const interrupted = new Promise<Interrupted>((resolve) => {
    release = onShutdownSignal({
      log: SILENT,
      stop: (by) => {
        onFirst?.(by);
        const reason = new Interrupted(by);
        controller.abort(reason);
        resolve(reason);
      },
    });
  });
  return { signal: controller.signal, interrupted, release: () => release() };
}
