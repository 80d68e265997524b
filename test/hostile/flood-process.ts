import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openTestHost } from '../support/host';

/** What a flood did to the process that ran it. */
export interface FloodFacts {
  /** Bytes that the program wrote to stdout and stderr. */
  readonly written: number[];
  readonly keptBytes: number[];
  readonly warnings: readonly string[];
  readonly brokenCharacters: number;
  /** Growth of the resident memory at its highest. */
  readonly growthBytes: number;
  readonly longestLagMs: number;
}

const FLOOD = `
import os, threading
block = ('日' * 349525 + 'x').encode()
def flood(descriptor):
    for _ in range(512):
        rest = memoryview(block)
        while rest:
            rest = rest[os.write(descriptor, rest):]
threads = [threading.Thread(target=flood, args=(descriptor,)) for descriptor in (1, 2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
result = [512 * len(block), 512 * len(block)]`;

/** Runs a flood in a host of its own, after a first run that loads what every run loads, and prints the facts. */
async function main(): Promise<void> {
  const host = await openTestHost({ HOURGLASS_WARM_PER_KEY: '0' });
  try {
    await host.run({ language: 'python', code: 'print("x" * 200_000)' });
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const lag = monitorEventLoopDelay({ resolution: 10 });
    lag.enable();
    let highest = before;
    const sampling = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 20);
    const run = { language: 'python', code: FLOOD, timeout: 240_000, resourceLimits: { cpuCores: 2 } } as const;
    const { result, stdout, stderr, warnings } = await host.run(run);
    clearInterval(sampling);
    const facts: FloodFacts = {
      written: result as number[],
      keptBytes: [stdout, stderr].map((text) => Buffer.byteLength(text)),
      warnings,
      brokenCharacters: (stdout + stderr).split('\ufffd').length - 1,
      growthBytes: highest - before,
      longestLagMs: lag.max / 1e6,
    };
    process.stdout.write(`${JSON.stringify(facts)}\n`);
  } finally {
    await host.close();
  }
}

void main();
