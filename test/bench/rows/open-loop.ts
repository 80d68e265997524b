import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionRequest } from '../../../src/contract';
import { side, type BenchContext, type Measured, type Row } from '../row';
import { quantile } from '../statistics';
import { WarmHost } from '../warm-host';

const PER_SECOND = 5;
/** Not counted: meanwhile the pool learns the demand. */
const WARM_UP_S = 20;
const SECONDS = 120;
const QUICK_SECONDS = 15;
const LONG_SECONDS = 600;

/** What is counted as started without a boot, by name. */
const WARM = { run: 'warm', tenant: 'warm or reused' } as const;

const MIX: readonly ExecutionRequest[] = [
  { language: 'python', code: 'sum(range(1000))' },
  { language: 'shell', code: 'echo "$((6 * 7))"' },
  { language: 'javascript', code: '[1, 2, 3].map((x) => x * 2)' },
  { language: 'python', code: 'import json\nresult = json.dumps({"a": [1, 2]})' },
  { language: 'shell', code: 'seq 100 | paste -sd+ | bc' },
];

function secondsOf({ quick, long }: BenchContext): number {
  if (quick) return QUICK_SECONDS;
  return long ? LONG_SECONDS : SECONDS;
}

/** Runs come by the clock, however long the earlier ones take; those of the warm-up are not counted. */
async function measureMix(isolation: 'run' | 'tenant', context: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open({ MAX_CONCURRENT_EXECUTIONS: '50' });
  const took: number[] = [];
  const starts: string[] = [];
  const running: Promise<void>[] = [];
  const seconds = secondsOf(context);
  const counted = `${seconds} s after ${WARM_UP_S} s of warm-up`;
  const run = async (request: ExecutionRequest, counts: boolean): Promise<void> => {
    const start = performance.now();
    const { metadata } = await host.run({ ...request, isolation });
    if (!counts) return;
    took.push(performance.now() - start);
    starts.push(metadata.startKind);
  };
  try {
    const begin = performance.now();
    for (let call = 0; call < (WARM_UP_S + seconds) * PER_SECOND; call += 1) {
      const due = begin + (call * 1_000) / PER_SECOND;
      await delay(Math.max(0, due - performance.now()));
      if (call % 100 === 0) context.say(`${Math.round((call / PER_SECOND) * 10) / 10} s`);
      running.push(run(MIX[call % MIX.length] as ExecutionRequest, call >= WARM_UP_S * PER_SECOND));
    }
    await Promise.all(running);
  } finally {
    await host.close();
  }
  const warm: number[] = starts.map((start) => (start === 'cold' ? 0 : 100));
  return [
    {
      value: warm.reduce((sum, share) => sum + share, 0) / warm.length,
      sides: [side(`${WARM[isolation]}, ${counted}`, '%', warm)],
    },
    { value: quantile(took, 0.99), sides: [side(`run through the engine, ${counted}`, 'ms', took)] },
  ];
}

const rowOf = (name: string, isolation: 'run' | 'tenant', words: string): Row => ({
  name,
  goals: [
    { name: `${words}: start without a boot`, compare: '>=', value: 95, unit: '%' },
    { name: `${words}: run through the engine, p99`, compare: '<=', value: 100, unit: 'ms' },
  ],
  measure: (context) => measureMix(isolation, context),
});

export const OPEN_LOOPS: readonly Row[] = [
  rowOf('open-loop', 'run', '5 runs/s, mixed languages, a container each'),
  rowOf('open-loop-tenant', 'tenant', '5 runs/s, mixed languages, tenant reuse'),
];
