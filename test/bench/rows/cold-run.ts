import { dockerFlags } from '../docker-flags';
import { rawEngine, sandboxBody } from '../engine';
import { runProcess } from '../processes';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { median, timed } from '../statistics';
import { WarmHost } from '../warm-host';

const FIRST_PIDS = 101;

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open({ HOURGLASS_WARM_PER_KEY: '0' });
  const body = sandboxBody('python');
  const { flags, remove } = dockerFlags(body);
  const engine = rawEngine();
  const ours: number[] = [];
  const docker: number[] = [];
  try {
    for (let round = 0; round < rounds(context, 30); round += 1) {
      await host.quiet();
      const resourceLimits = { maxPids: FIRST_PIDS + round };
      ours.push(await timed(() => host.run({ language: 'python', code: 'pass', resourceLimits })));
      await host.quiet();
      const name = `hourglass-bench-${process.pid}-${round}`;
      const args = ['run', `--name=${name}`, ...flags, '--entrypoint=python3', body.Image, '-c', 'pass'];
      docker.push(await timed(() => runProcess('docker', args)));
      await engine.remove(name);
    }
  } finally {
    engine.close();
    remove();
    await host.close();
  }
  const sides = [side('cold run, spec never seen', 'ms', ours), side('docker run, same flags', 'ms', docker)];
  return [{ value: median(ours) / median(docker), sides }];
}

export const COLD_RUN: Row = {
  name: 'cold',
  goals: [{ name: 'cold run of a never-seen spec / docker run', compare: '<=', value: 1.0, unit: 'ratio' }],
  measure,
};
