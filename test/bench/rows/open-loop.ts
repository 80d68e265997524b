import type { ExecutionRequest, ExecutionResult } from '../../../src/contract';
import { byTheClock } from '../loops';
import { interpreter, runProcess } from '../processes';
import { side, type BenchContext, type Measured, type Row } from '../row';
import { quantile, timed } from '../statistics';
import { WarmHost } from '../warm-host';

const PER_SECOND = 5;
/** Not counted: meanwhile the pool learns the demand. */
const WARM_UP_S = 20;
const SECONDS = 120;
const QUICK_SECONDS = 15;
const LONG_SECONDS = 600;
/** How long the bare processes go by the same clock. */
const BARE_SECONDS = 20;

type Start = ExecutionResult['metadata']['startKind'];

/** What is counted as started without a boot, by name. */
const WARM = { run: 'warm', tenant: 'warm or reused' } as const;

const MIX = [
  { language: 'python', code: 'sum(range(1000))' },
  { language: 'shell', code: 'echo "$((6 * 7))"' },
  { language: 'javascript', code: '[1, 2, 3].map((x) => x * 2)' },
  { language: 'python', code: 'import json\nresult = json.dumps({"a": [1, 2]})' },
  { language: 'shell', code: 'seq 100 | paste -sd+ | bc' },
] as const satisfies readonly ExecutionRequest[];

const BARE = {
  python: ['python3', '-c', 'pass'],
  javascript: ['node', '-e', '0'],
  shell: ['bash', '-c', ':'],
} as const;

const inTurn = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;

function secondsOf({ quick, long }: BenchContext): number {
  if (quick) return QUICK_SECONDS;
  return long ? LONG_SECONDS : SECONDS;
}

/** One run of the loop. */
interface Timed {
  readonly ms: number;
  readonly start: Start;
  /** Whether it came after the warm-up. */
  readonly counts: boolean;
}

/** Runs come by the clock, however long the earlier ones take. */
async function runMix(isolation: 'run' | 'tenant', seconds: number, say: BenchContext['say']): Promise<Timed[]> {
  const host = await WarmHost.open({ MAX_CONCURRENT_EXECUTIONS: '50' });
  const runs: Timed[] = [];
  try {
    await byTheClock(PER_SECOND, WARM_UP_S + seconds, async (index) => {
      if (index % 100 === 0) say(`${index / PER_SECOND} s`);
      const begin = performance.now();
      const { metadata } = await host.run({ ...inTurn(MIX, index), isolation });
      const counts = index >= WARM_UP_S * PER_SECOND;
      runs.push({ ms: performance.now() - begin, start: metadata.startKind, counts });
    });
  } finally {
    await host.close();
  }
  return runs;
}

/** As many interpreters a second in the same mix, after the runs: beside them they would take their processors. */
async function bareMix({ quick }: BenchContext): Promise<number[]> {
  const took: number[] = [];
  const commands = MIX.map(({ language }) => {
    const [name, ...args] = BARE[language];
    return { program: interpreter(name), args };
  });
  await byTheClock(PER_SECOND, quick ? BARE_SECONDS / 5 : BARE_SECONDS, async (index) => {
    const { program, args } = inTurn(commands, index);
    took.push(await timed(() => runProcess(program, args)));
  });
  return took;
}

async function measureMix(isolation: 'run' | 'tenant', context: BenchContext): Promise<readonly Measured[]> {
  const seconds = secondsOf(context);
  const runs = await runMix(isolation, seconds, context.say);
  const bare = await bareMix(context);
  const counted = runs.filter(({ counts }) => counts);
  const took = counted.map(({ ms }) => ms);
  const warm: number[] = counted.map(({ start }) => (start === 'cold' ? 0 : 100));
  // The first of each kind are always cold: what a start without a boot spares.
  const cold = runs.filter(({ start }) => start === 'cold').map(({ ms }) => ms);
  const when = `${seconds} s after ${WARM_UP_S} s of warm-up`;
  return [
    {
      value: warm.reduce((sum, share) => sum + share, 0) / warm.length,
      sides: [side(`${WARM[isolation]}, ${when}`, '%', warm), side('run that starts cold, at any time', 'ms', cold)],
    },
    {
      value: quantile(took, 0.99),
      sides: [
        side(`run through the engine, ${when}`, 'ms', took),
        side('bare interpreters by the same clock', 'ms', bare),
      ],
    },
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
