import type { HourglassConfig } from './config';
import type { ConfigProblem } from './errors';
import type { Setting } from './setting';
import type { ConfigField } from './variable';
import { VARIABLES } from './variables';

/** Two settings of which the first may not exceed the second. */
interface Order {
  readonly low: ConfigField;
  readonly high: ConfigField;
  readonly lowOf: (config: HourglassConfig) => number;
  /** Undefined where nothing bounds it. */
  readonly highOf: (config: HourglassConfig) => number | undefined;
}

type DefaultName = keyof HourglassConfig['policy']['defaults'];

function defaultWithinMaximum(name: DefaultName): Order {
  return {
    low: `policy.defaults.${name}`,
    high: `policy.maxima.${name}`,
    lowOf: (config) => config.policy.defaults[name],
    highOf: (config) => config.policy.maxima[name],
  };
}

const ORDERS: readonly Order[] = [
  ...(['timeout', 'memoryMb', 'cpuCores', 'maxPids', 'maxOutputBytes'] as const).map(defaultWithinMaximum),
  {
    low: 'policy.defaults.memoryMb',
    high: 'memoryBudgetMb',
    lowOf: (config) => config.policy.defaults.memoryMb,
    highOf: (config) => config.memoryBudgetMb,
  },
  {
    low: 'workspace.maxFileBytes',
    high: 'workspace.quotaBytes',
    lowOf: (config) => config.workspace.maxFileBytes,
    highOf: (config) => config.workspace.quotaBytes,
  },
];

/** What is wrong between settings that are each valid. */
export function findConflicts(config: HourglassConfig, settings: readonly Setting[]): ConfigProblem[] {
  return ORDERS.flatMap((order) => {
    const high = order.highOf(config);
    if (high === undefined || order.lowOf(config) <= high) return [];
    const low = settings.find((setting) => setting.field === order.low);
    const other = VARIABLES[order.high];
    return [
      {
        name: VARIABLES[order.low].name,
        source: low?.source ?? 'default',
        value: JSON.stringify(low?.value),
        rule: `must not exceed ${other.name}, which is ${high}${other.unit === undefined ? '' : ` ${other.unit}`}`,
      },
    ];
  });
}
