import type { Readable } from 'node:stream';

/** Resolves when a stream that was destroyed has let go of all it held, whatever it was destroyed with. Never rejects. */
export function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) return resolve();
    // Why it ended is known to whoever destroyed it; without a listener the error would end the process.
    stream.on('error', () => undefined);
    stream.once('close', resolve);
  });
}
