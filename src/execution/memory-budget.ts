import type { HourglassConfig } from '../config';

const MiB = 1024 * 1024;

/**
 * Memory that all running sandboxes may have together, in MB: what is configured, else the default memory of every slot
 * and half of what the engine's machine has beside it.
 */
export function memoryBudgetMb(
  config: Pick<HourglassConfig, 'memoryBudgetMb' | 'maxConcurrentExecutions' | 'policy'>,
  engineMemoryBytes: number,
): number {
  if (config.memoryBudgetMb !== undefined) return config.memoryBudgetMb;
  const slots = config.maxConcurrentExecutions * config.policy.defaults.memoryMb;
  const rest = Math.max(0, Math.floor(engineMemoryBytes / MiB) - slots);
  return slots + Math.floor(rest / 2);
}
