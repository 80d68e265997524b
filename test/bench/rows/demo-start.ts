import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runProcess } from '../processes';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { quantile, timed } from '../statistics';

const ROOT = join(__dirname, '../../..');
/** The demo says this when server and worker are up and its first program is about to run. */
const BEGINS = 'Data ';

async function secondsToMainJob(): Promise<number> {
  const start = performance.now();
  const demo = spawn('npm', ['run', 'demo', '--', '--exit'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  let begun: number | undefined;
  createInterface(demo.stdout).on('line', (line) => {
    if (begun === undefined && line.includes(BEGINS)) begun = performance.now();
  });
  const [code] = (await once(demo, 'close')) as [number | null];
  if (code !== 0 || begun === undefined)
    throw new Error(`the demo ended with ${code}, its job ${begun ?? 'never'} begun`);
  return (begun - start) / 1_000;
}

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  await secondsToMainJob();
  const seconds: number[] = [];
  const npm: number[] = [];
  for (let round = 0; round < rounds(context, 3); round += 1) {
    seconds.push(await secondsToMainJob());
    npm.push((await timed(() => runProcess('npm', ['--version']))) / 1_000);
  }
  const sides = [side('npm run demo, second start', 's', seconds), side('npm --version', 's', npm)];
  return [{ value: quantile(seconds, 1), sides }];
}

export const DEMO_START: Row = {
  name: 'demo-start',
  goals: [{ name: 'second start of npm run demo to the main job', compare: '<=', value: 5, unit: 's' }],
  measure,
};
