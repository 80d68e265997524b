import type { Language } from '../../../src/contract';
import { interpreter, runProcess } from '../processes';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { median, timed } from '../statistics';
import { WarmHost } from '../warm-host';

/** A program of ours beside the same one as a bare process on the host. */
interface Pair {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
  readonly command: readonly [string, ...string[]];
  readonly goal: number;
}

const PAIRS: readonly Pair[] = [
  { name: 'warm-python', language: 'python', code: 'pass', command: ['python3', '-c', 'pass'], goal: 0.3 },
  { name: 'warm-javascript', language: 'javascript', code: '0', command: ['node', '-e', '0'], goal: 0.25 },
  { name: 'warm-shell', language: 'shell', code: ':', command: ['bash', '-c', ':'], goal: 2.0 },
];

async function measurePair(pair: Pair, context: BenchContext): Promise<readonly Measured[]> {
  const { language, code, command } = pair;
  const [name, ...args] = command;
  const program = interpreter(name);
  const host = await WarmHost.open();
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    await host.run({ language, code });
    for (let round = 0; round < rounds(context, 60); round += 1) {
      await host.quiet(1);
      ours.push(await timed(() => host.runWarm({ language, code })));
      await host.quiet(1);
      bare.push(await timed(() => runProcess(program, args)));
    }
  } finally {
    await host.close();
  }
  const sides = [side(`warm ${language}`, 'ms', ours), side(command.join(' '), 'ms', bare)];
  return [{ value: median(ours) / median(bare), sides }];
}

export const WARM_RUNS: readonly Row[] = PAIRS.map((pair) => ({
  name: pair.name,
  goals: [{ name: `warm ${pair.language} run / bare process`, compare: '<=', value: pair.goal, unit: 'ratio' }],
  measure: (context) => measurePair(pair, context),
}));
