import { eventually } from '../../support/eventually';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { quantile } from '../statistics';
import { TemporalSetup } from '../temporal-setup';

/** A program and a child of it that both ignore what asks them to end. */
const STUBBORN = 'trap "" TERM INT HUP\n(trap "" TERM INT HUP; while :; do sleep 1; done) &\nwhile :; do sleep 1; done';

/** What Temporal itself takes to tell an activity, and the activity to answer. */
async function timeOfCancel(setup: TemporalSetup): Promise<number> {
  const begun = setup.waits();
  const handle = await setup.start('waiting', { language: 'shell', code: ':' });
  await begun;
  const start = performance.now();
  await handle.cancel();
  await handle.result().catch(() => undefined);
  return performance.now() - start;
}

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const setup = await TemporalSetup.open();
  const { pool } = setup.host.test.host;
  const gone: number[] = [];
  const nothing: number[] = [];
  try {
    for (let round = 0; round < rounds(context, 60); round += 1) {
      await setup.host.quiet();
      const handle = await setup.start('executeCode', { language: 'shell', code: STUBBORN, timeout: 120_000 });
      await eventually(
        () => pool.stats().slots.leased,
        (leased) => leased === 1,
      );
      const start = performance.now();
      await handle.cancel();
      // The workflow is closed when its sandbox is gone.
      await handle.result().catch(() => undefined);
      gone.push(performance.now() - start);
      const { leased, retiring } = pool.stats().slots;
      if (leased + retiring !== 0) throw new Error('a cancelled execution still has its sandbox');
      nothing.push(await timeOfCancel(setup));
    }
  } finally {
    await setup.close();
  }
  const sides = [
    side('cancel() to no process left', 'ms', gone),
    side('cancel() of an activity that only waits', 'ms', nothing),
  ];
  return [{ value: quantile(gone, 0.99), sides }];
}

export const CANCEL: Row = {
  name: 'cancel',
  goals: [{ name: 'cancel() to no process left, p99', compare: '<=', value: 1_500, unit: 'ms' }],
  measure,
};
