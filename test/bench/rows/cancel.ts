import { eventually } from '../../support/eventually';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { quantile } from '../statistics';
import { TemporalSetup } from '../temporal-setup';

/** A program and a child of it that both ignore what asks them to end. */
const STUBBORN = 'trap "" TERM INT HUP\n(trap "" TERM INT HUP; while :; do sleep 1; done) &\nwhile :; do sleep 1; done';

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const setup = await TemporalSetup.open();
  const { pool } = setup.host.test.host;
  const gone: number[] = [];
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
      if (pool.stats().slots.leased !== 0) throw new Error('a cancelled execution still has its sandbox');
    }
  } finally {
    await setup.close();
  }
  return [{ value: quantile(gone, 0.99), sides: [side('cancel() to no process left', 'ms', gone)] }];
}

export const CANCEL: Row = {
  name: 'cancel',
  goals: [{ name: 'cancel() to no process left, p99', compare: '<=', value: 1_500, unit: 'ms' }],
  measure,
};
