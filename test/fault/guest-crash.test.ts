import { join } from 'node:path';
import type { ExecutionResult, HourglassError } from '../../src/contract';
import { TypeScriptProcess } from '../support/typescript-process';
import { beforehand, CASES } from './at-points';
import type { Point } from './points';
import { faultRequest } from './programs';

const LANES = 3;

/**
 * What comes of an execution whose sandbox is killed: another sandbox runs it, it is lost by name because it may have run, or
 * nothing, because all of it was out.
 */
const EXPECTED: Readonly<Record<Point, 'runs elsewhere' | 'is lost' | 'either' | 'has a result'>> = {
  leased: 'runs elsewhere',
  // The rest, and START, may be on their way before the end of the stream is heard of.
  'half staged': 'either',
  // START is on its way: nobody can say whether the guest got it.
  staged: 'is lost',
  started: 'is lost',
  'output half read': 'is lost',
  ended: 'is lost',
  'files half collected': 'is lost',
  'files collected': 'has a result',
  'files half published': 'has a result',
  published: 'has a result',
  'result stored': 'has a result',
  destroyed: 'has a result',
};

const outcomeOf = beforehand(LANES, async ({ place, hourglass, files, remains }, language, point) => {
  const args = [JSON.stringify(place.settings), point, 'guest'];
  const worker = new TypeScriptProcess(join(__dirname, 'crashing-worker.ts'), args);
  try {
    const handle = await hourglass.start(faultRequest(language));
    const result = await handle.result().catch((error: HourglassError) => error);
    return { result, files: await files(), remains: await remains() };
  } finally {
    worker.kill('SIGKILL');
    await worker.end();
  }
});

test.each(CASES)('%s: a program whose sandbox is killed when it is %s ends as the table says', (...which) => {
  const outcome = outcomeOf(...which);
  const { result } = outcome;
  expect(outcome.remains).toEqual([]);
  const expected = EXPECTED[which[1]];
  if (expected === 'is lost' || (expected === 'either' && result instanceof Error)) {
    expect(result).toMatchObject({ code: 'SANDBOX_LOST', retryable: false, details: { mayHaveRun: true } });
    expect(outcome.files).toEqual([]);
    return;
  }
  expect(result).toMatchObject({ success: true });
  const { stdout, metadata } = result as ExecutionResult;
  const token = stdout.split('\n')[0] ?? '';
  expect(stdout).toBe(`${token}\nend\n`);
  expect(outcome.files).toEqual([`out/a.txt ${token}`, `out/b.txt ${token}`]);
  expect(metadata.attempt).toBe(expected === 'has a result' ? 1 : 2);
});
