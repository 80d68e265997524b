import { HourglassError } from '../../contract';

/**
 * Runs a call of the engine with a signal that aborts after `ms`, or with `parent`, whose reason is kept.
 *
 * AbortSignal.any would do the same, but keeps every derived signal alive as long as its parent.
 */
export async function withDeadline<T>(
  ms: number,
  run: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => controller.abort(parent?.reason);
  const timer = setTimeout(() => {
    controller.abort(new HourglassError('ENGINE_UNAVAILABLE', `The Docker engine did not answer within ${ms} ms.`));
  }, ms);
  parent?.addEventListener('abort', abort, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', abort);
  }
}
