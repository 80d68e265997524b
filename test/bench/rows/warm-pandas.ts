import { BareInImage } from '../bare-in-image';
import { sandboxBody } from '../engine';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { median, timed } from '../statistics';
import { WarmHost } from '../warm-host';

const CODE = 'import pandas';

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open();
  const processes = new BareInImage(sandboxBody('python').Image);
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    await host.run({ language: 'python', code: CODE });
    for (let round = 0; round < rounds(context, 40); round += 1) {
      await host.quiet(1);
      ours.push(await timed(() => host.runWarm({ language: 'python', code: CODE })));
      await host.quiet(1);
      bare.push(await processes.run(CODE));
    }
  } finally {
    await processes.close();
    await host.close();
  }
  const sides = [side('warm python, import pandas', 'ms', ours), side('python3 -c "import pandas"', 'ms', bare)];
  return [{ value: median(ours) / median(bare), sides }];
}

export const WARM_PANDAS: Row = {
  name: 'warm-pandas',
  goals: [{ name: 'warm run with import pandas / bare process', compare: '<=', value: 0.035, unit: 'ratio' }],
  measure,
};
