import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { dockerFlags } from '../docker-flags';
import { sandboxBody } from '../engine';
import { costOf } from '../memory';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { median, timed } from '../statistics';
import { WarmHost } from '../warm-host';

const MiB = 1_048_576;
const FILE = 'large.bin';

async function fill(file: string, mib: number): Promise<void> {
  const block = Buffer.alloc(MiB, 'hourglass ');
  await pipeline(function* () {
    for (let written = 0; written < mib; written += 1) yield block;
  }, createWriteStream(file));
}

/** The file through a tar pipe into a container with the same flags, and through another one out of it. */
async function tarPipe(folder: string, flags: readonly string[], image: string): Promise<void> {
  const inside = `tar -x -C /sandbox && tar -c -C /sandbox ${FILE}`;
  const into = spawn('tar', ['-c', '-C', folder, FILE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const args = ['run', '--rm', '--interactive', ...flags, '--entrypoint=bash', image, '-c', inside];
  const container = spawn('docker', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const target = mkdtempSync(join(tmpdir(), 'hourglass-bench-'));
  // Past the end of the archive to the end of the pipe: docker ends a while later, and a pipe that is closed before fails.
  const out = spawn('tar', ['-x', '--ignore-zeros', '-C', target], { stdio: ['pipe', 'ignore', 'inherit'] });
  try {
    const ends = [into, container, out].map((child) => once(child, 'close') as Promise<[number]>);
    await Promise.all([pipeline(into.stdout, container.stdin), pipeline(container.stdout, out.stdin)]);
    const codes = (await Promise.all(ends)).map(([code]) => code);
    if (codes.some((code) => code !== 0)) throw new Error(`a tar pipe ended with ${codes.join(', ')}`);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const mib = context.quick ? 64 : 1_024;
  const host = await WarmHost.open({ HOURGLASS_WARM_PER_KEY: '0', HOURGLASS_MAX_TIMEOUT_MS: '600000' });
  const folder = mkdtempSync(join(tmpdir(), 'hourglass-bench-'));
  const limits = { memoryMb: 256, diskMb: mib + 64, cpuCores: 2 };
  const request = { inputFiles: [{ path: FILE }], outputFiles: [{ sandboxPath: FILE, workspacePath: 'back.bin' }] };
  const ours: number[] = [];
  const theirs: number[] = [];
  const growth: number[] = [];
  const theirGrowth: number[] = [];
  const body = sandboxBody('shell', limits);
  const { flags, remove } = dockerFlags(body);
  try {
    await host.run({ language: 'shell', code: ':' });
    const workspace = await host.test.host.workspaces.open({ workspaceId: 'default', userId: 'default' });
    await host.test.run({ language: 'shell', code: 'echo > seed', outputFiles: [{ sandboxPath: 'seed' }] });
    await fill(join(dirname(workspace.locate('seed') ?? ''), FILE), mib);
    await fill(join(folder, FILE), mib);
    for (let round = 0; round < rounds(context, 3); round += 1) {
      context.say(`round ${round + 1}`);
      const run = (): Promise<unknown> =>
        host.run({ language: 'shell', code: ':', ...request, resourceLimits: limits, timeout: 600_000 });
      const cost = await costOf(async () => ours.push((2 * mib) / ((await timed(run)) / 1_000)));
      growth.push(cost.growthMib);
      await host.quiet();
      const pipe = (): Promise<void> => tarPipe(folder, flags, body.Image);
      const theirCost = await costOf(async () => theirs.push((2 * mib) / ((await timed(pipe)) / 1_000)));
      theirGrowth.push(theirCost.growthMib);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    remove();
    await host.close();
  }
  const sides = [side('in and out, per second', 'MiB', ours), side('tar pipe, per second', 'MiB', theirs)];
  const growths = [side('growth of the worker', 'MiB', growth), side('of one that pipes tar', 'MiB', theirGrowth)];
  return [
    { value: median(ours) / median(theirs), sides },
    { value: Math.max(...growth), sides: growths },
  ];
}

export const TRANSFER: Row = {
  name: 'transfer',
  goals: [
    { name: '1 GiB in and out / a tar pipe', compare: '>=', value: 0.7, unit: 'ratio' },
    { name: "1 GiB in and out: growth of the worker's memory", compare: '<=', value: 64, unit: 'MiB' },
  ],
  measure,
};
