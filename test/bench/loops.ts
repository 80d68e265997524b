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
