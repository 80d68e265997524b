import type { ExecutionRequest } from '../../../src/contract';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { quantile } from '../statistics';
import { WarmHost } from '../warm-host';

const TIMEOUT_MS = 1_000;

const ENDLESS: readonly Pick<ExecutionRequest, 'language' | 'code'>[] = [
  { language: 'python', code: 'while True: pass' },
  { language: 'javascript', code: 'for (;;);' },
  { language: 'shell', code: 'trap "" TERM INT\nwhile :; do :; done' },
];

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open();
  const overshoot: number[] = [];
  try {
    for (let round = 0; round < rounds(context, 60); round += 1) {
      const endless = ENDLESS[round % ENDLESS.length] ?? { language: 'shell', code: 'sleep 9' };
      const { error, metadata } = await host.test.run({ ...endless, timeout: TIMEOUT_MS });
      if (error?.code !== 'TIMEOUT') throw new Error(`a program that does not end ended with ${error?.code}`);
      overshoot.push(metadata.executionTimeMs - TIMEOUT_MS);
    }
  } finally {
    await host.close();
  }
  return [{ value: quantile(overshoot, 0.99), sides: [side('beyond the timeout', 'ms', overshoot)] }];
}

export const TIMEOUT_OVERSHOOT: Row = {
  name: 'timeout',
  goals: [{ name: 'timeout overshoot, p99', compare: '<=', value: 100, unit: 'ms' }],
  measure,
};
