/** What a row says of one of its sides. */
export interface Summary {
  readonly count: number;
  readonly min: number;
  readonly median: number;
  readonly p99: number;
}

/** The value below which a share of all samples lies. Requires: not empty. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

export function summarise(samples: readonly number[]): Summary {
  return {
    count: samples.length,
    min: quantile(samples, 0),
    median: median(samples),
    p99: quantile(samples, 0.99),
  };
}

/** How long a call takes, in ms. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}
