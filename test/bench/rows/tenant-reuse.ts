import { perSecond } from '../loops';
import { interpreter, runProcess } from '../processes';
import { side, type BenchContext, type Measured, type Row } from '../row';
import { median } from '../statistics';
import { WarmHost } from '../warm-host';

const PARALLEL = 4;
const SEGMENT_MS = 5_000;
const SEGMENTS = 4;

async function measure({ quick }: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open({ HOURGLASS_WARM_PER_KEY: '0', HOURGLASS_REUSE_MAX_USES: '100000' });
  const run = (): Promise<unknown> =>
    host.run({ language: 'python', code: 'pass', isolation: 'tenant', resourceLimits: { cpuCores: 2 } });
  const python = interpreter('python3');
  const bare = (): Promise<void> => runProcess(python, ['-c', 'pass']);
  const rates: number[] = [];
  const bareRates: number[] = [];
  try {
    // The first runs boot what the rest uses.
    await perSecond(PARALLEL, 1, run);
    for (let segment = 0; segment < (quick ? 1 : SEGMENTS); segment += 1) {
      rates.push(await perSecond(PARALLEL, SEGMENT_MS, run));
      bareRates.push(await perSecond(PARALLEL, SEGMENT_MS, bare));
    }
  } finally {
    await host.close();
  }
  const sides = [side('isolation: tenant', 'runs/s', rates), side('python3 -c pass', 'runs/s', bareRates)];
  return [{ value: median(rates), sides }];
}

export const TENANT_REUSE: Row = {
  name: 'tenant-reuse',
  goals: [{ name: 'tenant reuse, runs/s through the engine', compare: '>=', value: 400, unit: 'runs/s' }],
  measure,
};
