import { setTimeout as delay } from 'node:timers/promises';

/** Calls something by the clock, however long the earlier calls take; resolves when all have ended. */
export async function byTheClock(
  perSecond: number,
  seconds: number,
  call: (index: number) => Promise<unknown>,
): Promise<void> {
  const begin = performance.now();
  const running: Promise<unknown>[] = [];
  for (let index = 0; index < seconds * perSecond; index += 1) {
    await delay(Math.max(0, begin + (index * 1_000) / perSecond - performance.now()));
    const called = call(index);
    // A failure is told when all have ended; until then it must not end the process.
    called.catch(() => undefined);
    running.push(called);
  }
  await Promise.all(running);
}

/** Calls something again and again, so many at a time, for so long; calls a second that ended well. */
export async function perSecond(parallel: number, ms: number, call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - start < ms) {
      await call();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, loop));
  return (done / (performance.now() - start)) * 1_000;
}
