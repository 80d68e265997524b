import { monitorEventLoopDelay } from 'node:perf_hooks';

const SAMPLE_MS = 20;
const MiB = 1_048_576;

/** What a piece of work cost this process. */
export interface Cost {
  /** Largest growth of the resident memory, in MiB. */
  readonly growthMib: number;
  /** Longest time the event loop did nothing else, in ms. */
  readonly lagMs: number;
}

/** Runs something and watches this process meanwhile. Memory that is garbage by now is collected first where that can be. */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  try {
    await work();
  } finally {
    clearInterval(timer);
    delay.disable();
  }
  return { growthMib: (most - before) / MiB, lagMs: delay.max / 1e6 };
}
