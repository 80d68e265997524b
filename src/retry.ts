import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './telemetry/log';

/** Tries before giving up, and the wait between them, in ms: about half a minute in all. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000] as const;

export interface RetryOptions {
  /** Name of what is asked, as the beginning of a log message. */
  readonly what: string;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
}

/** Asks something that may still be starting. Rejects with its last error, or with the signal's reason. */
export async function retry<T>(ask: () => Promise<T>, { what, log, signal }: RetryOptions): Promise<T> {
  for (const waitMs of WAITS_MS) {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      log.warn({ error, nextTryMs: waitMs }, `${what} does not answer; trying again`);
      await delay(waitMs, undefined, { signal });
    }
  }
  return ask();
}
