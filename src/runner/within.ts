/**
 * Settles as the promise does, or rejects with `late()` after `timeoutMs`, or with the signal's reason when it aborts.
 *
 * What the promise comes to later is ignored.
 */
export async function within<T>(
  promise: Promise<T>,
  timeoutMs: number,
  late: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  let stop = (): void => undefined;
  const limit = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(late()), timeoutMs);
    const abort = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
  });
  try {
    return await Promise.race([limit, promise]);
  } finally {
    stop();
  }
}
