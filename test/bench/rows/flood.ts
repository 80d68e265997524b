import { costOf } from '../memory';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { WarmHost } from '../warm-host';

const FLOOD = 'import os\nline = b"x" * 65535 + b"\\n"\nfor _ in range(8192):\n    os.write(1, line)';

async function measure(context: BenchContext): Promise<readonly Measured[]> {
  const host = await WarmHost.open();
  const flood = { language: 'python', code: FLOOD, timeout: 120_000, resourceLimits: { cpuCores: 1 } } as const;
  const growth: number[] = [];
  const lag: number[] = [];
  try {
    await host.run({ language: 'python', code: 'print(1)', resourceLimits: { cpuCores: 1 } });
    for (let round = 0; round < rounds(context, 5); round += 1) {
      const cost = await costOf(() => host.run(flood));
      growth.push(cost.growthMib);
      lag.push(cost.lagMs);
    }
  } finally {
    await host.close();
  }
  return [
    { value: Math.max(...growth), sides: [side('growth of the worker', 'MiB', growth)] },
    { value: Math.max(...lag), sides: [side('event-loop lag', 'ms', lag)] },
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
