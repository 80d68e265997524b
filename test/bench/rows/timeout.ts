import type { ExecutionRequest } from '../../../src/contract';
import { runProcess } from '../processes';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { quantile, timed } from '../statistics';
import { WarmHost } from '../warm-host';

const TIMEOUT_MS = 1_000;

const ENDLESS: readonly Pick<ExecutionRequest, 'language' | 'code'>[] = [
  { language: 'python', code: 'while True: pass' },
  { language: 'javascript', code: 'for (;;);' },
  { language: 'shell', code: 'trap "" TERM INT\nwhile :; do :; done' },
];

/** A bare process that is killed when its time is over; what it says of that is no error. */
async function bareTimeout(): Promise<void> {
  const seconds = String(TIMEOUT_MS / 1_000);
  const script = `timeout -s KILL ${seconds} bash -c "while :; do :; done" 2>&1; true`;
  await runProcess('bash', ['-c', script]);
}

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open();
  const overshoot: number[] = [];
  const bare: number[] = [];
  try {
    for (let round = 0; round < rounds(context, 60); round += 1) {
      const endless = ENDLESS[round % ENDLESS.length] ?? { language: 'shell', code: 'sleep 9' };
      const { error, metadata } = await host.test.run({ ...endless, timeout: TIMEOUT_MS });
      if (error?.code !== 'TIMEOUT') throw new Error(`a program that does not end ended with ${error?.code}`);
      overshoot.push(metadata.executionTimeMs - TIMEOUT_MS);
      bare.push((await timed(() => bareTimeout())) - TIMEOUT_MS);
    }
  } finally {
    await host.close();
  }
  const sides = [side('beyond the timeout', 'ms', overshoot), side('timeout -s KILL of a bare shell', 'ms', bare)];
  return [{ value: quantile(overshoot, 0.99), sides }];
}

export const TIMEOUT_OVERSHOOT: Row = {
  name: 'timeout',
  goals: [{ name: 'timeout overshoot, p99', compare: '<=', value: 100, unit: 'ms' }],
  measure,
};
