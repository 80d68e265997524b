const FACTOR = Number(process.env['HOURGLASS_TEST_TIME_FACTOR'] ?? 1);

/** How long a test waits before it gives up, in ms: longer by HOURGLASS_TEST_TIME_FACTOR on a slow engine. */
export function patience(ms: number): number {
  return ms * FACTOR;
}
