import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dockerFlags } from '../docker-flags';
import { sandboxBody } from '../engine';
import { costOf } from '../memory';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { WarmHost } from '../warm-host';

const FLOOD = 'import os\nline = b"x" * 65535 + b"\\n"\nfor _ in range(8192):\n    os.write(1, line)';

/** The same program in a container with the same flags, read and dropped in this process. */
async function readAll(flags: readonly string[], image: string): Promise<void> {
  const args = ['run', '--rm', ...flags, '--entrypoint=python3', image, '-c', FLOOD];
  const child = spawn('docker', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`docker run ended with ${code}`);
}

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open();
  const flood = { language: 'python', code: FLOOD, timeout: 120_000, resourceLimits: { cpuCores: 1 } } as const;
  const growth: number[] = [];
  const lag: number[] = [];
  const dockerGrowth: number[] = [];
  const dockerLag: number[] = [];
  const body = sandboxBody('python', flood.resourceLimits);
  const { flags, remove } = dockerFlags(body);
  try {
    await host.run({ language: 'python', code: 'print(1)', resourceLimits: { cpuCores: 1 } });
    for (let round = 0; round < rounds(context, 5); round += 1) {
      const cost = await costOf(() => host.run(flood));
      growth.push(cost.growthMib);
      lag.push(cost.lagMs);
      const docker = await costOf(() => readAll(flags, body.Image));
      dockerGrowth.push(docker.growthMib);
      dockerLag.push(docker.lagMs);
    }
  } finally {
    remove();
    await host.close();
  }
  return [
    {
      value: Math.max(...growth),
      sides: [side('growth of the worker', 'MiB', growth), side('of one that reads docker run', 'MiB', dockerGrowth)],
    },
    {
      value: Math.max(...lag),
      sides: [side('event-loop lag', 'ms', lag), side('of one that reads docker run', 'ms', dockerLag)],
    },
  ];
}

export const FLOOD_ROW: Row = {
  name: 'flood',
  goals: [
    { name: "512 MB of stdout: growth of the worker's memory", compare: '<=', value: 64, unit: 'MiB' },
    { name: '512 MB of stdout: event-loop lag', compare: '<=', value: 100, unit: 'ms' },
  ],
  measure,
};
