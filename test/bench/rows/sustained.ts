import { randomUUID } from 'node:crypto';
import type { CreateBody } from '../../../src/engine/container/create-body';
import { rawEngine, sandboxBody } from '../engine';
import { perSecond } from '../loops';
import { side, type BenchContext, type Measured, type Row } from '../row';
import { median } from '../statistics';
import { WarmHost } from '../warm-host';

const PARALLEL = 4;
const SEGMENT_MS = 15_000;
const SEGMENTS = 4;

async function measure({ say, quick }: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open({ HOURGLASS_WARM_PER_KEY: '0' });
  const engine = rawEngine();
  const body = sandboxBody('shell');
  const raw = async (body: CreateBody): Promise<void> => {
    const id = await engine.create(`hourglass-bench-${randomUUID()}`, body);
    await engine.start(id);
    await engine.remove(id);
  };
  // Containers that go in the background are part of the work: the next segment begins when they are gone.
  const run = (): Promise<unknown> => host.run({ language: 'shell', code: ':' });
  const ours: number[] = [];
  const same: number[] = [];
  const docker: number[] = [];
  const ms = quick ? SEGMENT_MS / 5 : SEGMENT_MS;
  try {
    for (let segment = 0; segment < (quick ? 1 : SEGMENTS); segment += 1) {
      say(`segment ${segment + 1}`);
      ours.push(await perSecond(PARALLEL, ms, run));
      await host.quiet();
      same.push(await perSecond(PARALLEL, ms, () => raw(body)));
      docker.push(await perSecond(PARALLEL, ms, () => raw({ ...body, NetworkDisabled: false })));
    }
  } finally {
    engine.close();
    await host.close();
  }
  const sides = [
    side('runs, fresh container each', 'runs/s', ours),
    side('create, start, remove of the same container', 'runs/s', same),
    side('the same with the network that docker run sets up', 'runs/s', docker),
  ];
  return [{ value: median(ours) / median(same), sides }];
}

export const SUSTAINED: Row = {
  name: 'sustained',
  goals: [{ name: 'runs/s, fresh container each / create + start + remove', compare: '>=', value: 0.9, unit: 'ratio' }],
  measure,
};
