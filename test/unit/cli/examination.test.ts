import { failure, pass, warning } from '../../../src/doctor/check';
import { Examination, type Step } from '../../../src/cli/doctor/examination';

const never = new AbortController().signal;

const step = (names: readonly string[], run: Step['run'], needs: readonly string[] = []): Step => ({
  ...{ names, needs, remedy: 'do this', run },
});

test('a step that needs what has failed is skipped, and says because of what', async () => {
  const examination = new Examination(never, [], () => undefined);
  const ran: string[] = [];
  await examination.take(step(['engine'], async () => [failure('gone', 'start it')]));
  await examination.take(step(['image'], async () => (ran.push('image'), [pass('there')]), ['engine']));
  await examination.take(step(['sandbox'], async () => (ran.push('sandbox'), [pass('there')]), ['image']));
  await examination.take(step(['state'], async () => (ran.push('state'), [warning('small', 'free some')])));
  expect(examination.checks).toEqual([
    { name: 'engine', status: 'failure', detail: 'gone', remedy: 'start it' },
    { name: 'image', status: 'skipped', detail: '"engine" has failed' },
    { name: 'sandbox', status: 'skipped', detail: '"image" has failed' },
    { name: 'state', status: 'warning', detail: 'small', remedy: 'free some' },
  ]);
  expect(ran).toEqual(['state']);
  expect(examination.ok).toBe(false);
});

test('an error of a step is the failure of its first check; its other checks are skipped', async () => {
  const told: string[] = [];
  const examination = new Examination(never, [], ({ name }) => told.push(name));
  await examination.take(step(['a', 'b'], () => Promise.reject(new Error('broken'))));
  expect(examination.checks).toEqual([
    { name: 'a', status: 'failure', detail: 'broken', remedy: 'do this' },
    { name: 'b', status: 'skipped', detail: '"a" has failed' },
  ]);
  expect(told).toEqual(['a', 'b']);
});

test('warnings leave a host sound', async () => {
  const examination = new Examination(never, [], () => undefined);
  await examination.take(step(['a'], async () => [warning('old', 'upgrade')]));
  expect(examination.ok).toBe(true);
});

test('an interruption waits until the step has cleaned up, and is passed on', async () => {
  const controller = new AbortController();
  const reason = new Error('interrupted');
  const examination = new Examination(controller.signal, [], () => undefined);
  let isClean = false;
  const run: Step['run'] = async (signal) => {
    controller.abort(reason);
    expect(signal.reason).toBe(reason);
    await new Promise(setImmediate);
    isClean = true;
    throw new Error('cleaned up');
  };
  await expect(examination.take(step(['a'], run))).rejects.toBe(reason);
  expect(isClean).toBe(true);
});
