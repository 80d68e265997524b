import { join } from 'node:path';
import { TestWorker } from '../support/test-worker';
import { TypeScriptProcess } from '../support/typescript-process';
import { beforehand, CASES } from './at-points';
import { POINTS, type Point } from './points';
import { faultRequest } from './programs';

const LANES = 4;

/** Kills the worker at the point and lets another one of the same host finish. */
const outcomeOf = beforehand(LANES, async ({ place, hourglass, files, remains }, language, point) => {
  const args = [JSON.stringify(place.settings), point, 'worker'];
  const first = new TypeScriptProcess(join(__dirname, 'crashing-worker.ts'), args);
  const handle = await hourglass.start(faultRequest(language));
  const { signal } = await first.end();
  const left = await place.containers();
  const second = await TestWorker.start(place.config);
  try {
    const result = await handle.result();
    const published = await files();
    await second.stop();
    return { signal, left, result, files: published, remains: await remains() };
  } finally {
    await second.stop();
  }
});

/** Before its start a program may start elsewhere; from then on there is one run of it, and one sandbox. */
const STARTED = new Set<Point>(POINTS.slice(POINTS.indexOf('started')));

test.each(CASES)(
  '%s: a worker that is killed when a program is %s loses nothing and runs nothing twice',
  (...which) => {
    const outcome = outcomeOf(...which);
    const { result, left } = outcome;
    const token = result.stdout.split('\n')[0] ?? '';
    expect(outcome.signal).toBe('SIGKILL');
    expect(token).toMatch(/^[0-9a-f]{16}$/);
    expect(result).toMatchObject({ success: true, result: `${token}input`, stdout: `${token}\nend\n` });
    expect(outcome.files).toEqual([`out/a.txt ${token}`, `out/b.txt ${token}`]);
    expect(result.savedFiles.map(({ workspacePath }) => workspacePath)).toEqual(['out/a.txt', 'out/b.txt']);
    expect(outcome.remains).toEqual([]);
    if (which[1] === 'destroyed') expect(left).toEqual([]);
    else expect(left).toHaveLength(1);
    if (STARTED.has(which[1]) && left.length > 0) expect(left).toEqual([result.metadata.sandboxId]);
    else if (left.length > 0) expect(left).not.toEqual([result.metadata.sandboxId]);
  },
);
