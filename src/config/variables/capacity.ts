import { LONGEST_QUEUE_MS } from '../../contract';
import * as read from '../parsers';
import type { VariableTable } from '../variable';

const DAY_MS = 24 * 3_600_000;

/** How much a worker runs, and what it keeps warm for it. */
export const CAPACITY = {
  maxConcurrentExecutions: {
    name: 'MAX_CONCURRENT_EXECUTIONS',
    parser: read.whole({ min: 1, max: 1_000 }),
    default: 10,
    description: 'executions a worker runs at a time',
  },
  maxRunningPerTenant: {
    name: 'HOURGLASS_MAX_RUNNING_PER_TENANT',
    parser: read.whole({ min: 1, max: 1_000 }),
    default: undefined,
    description: 'executions of one tenant that a worker runs at a time, whatever is free; unset: no limit of its own',
  },
  memoryBudgetMb: {
    name: 'HOURGLASS_MEMORY_BUDGET_MB',
    unit: 'MB',
    parser: read.whole({ min: 64, max: 16_777_216 }),
    default: undefined,
    description: "memory of all running sandboxes; unset: slots x default memory plus half of the engine's rest",
  },
  queueTimeoutMs: {
    name: 'HOURGLASS_QUEUE_TIMEOUT_MS',
    unit: 'ms',
    parser: read.whole({ min: 0, max: LONGEST_QUEUE_MS }),
    default: 300_000,
    description: 'longest wait for memory or a slot inside the activity; 0: none',
  },
  'pool.warmPerKey': {
    name: 'HOURGLASS_WARM_PER_KEY',
    unit: 'sandboxes',
    parser: read.whole({ min: 0, max: 100 }),
    default: 1,
    description: 'sandboxes kept warm for each kind in use, at least; 0 switches the pool off',
  },
  'pool.maxWarm': {
    name: 'HOURGLASS_MAX_WARM',
    unit: 'sandboxes',
    parser: read.whole({ min: 0, max: 1_000 }),
    default: 16,
    description: 'warm sandboxes of all kinds together; how many there really are follows from the demand',
  },
  'pool.memoryMb': {
    name: 'HOURGLASS_WARM_MEMORY_MB',
    unit: 'MB',
    parser: read.whole({ min: 0, max: 16_777_216 }),
    default: 1_024,
    description: 'memory that all warm sandboxes hold while they wait, those kept for tenants included',
  },
  'reuse.maxUses': {
    name: 'HOURGLASS_REUSE_MAX_USES',
    unit: 'runs',
    parser: read.whole({ min: 0, max: 1_000_000 }),
    default: 1_000,
    description: 'runs that one sandbox serves with isolation "tenant"; 0: such requests are refused',
  },
  'reuse.maxAgeMs': {
    name: 'HOURGLASS_REUSE_MAX_AGE_MS',
    unit: 'ms',
    parser: read.whole({ min: 1_000, max: DAY_MS }),
    default: 600_000,
    description: 'age up to which a sandbox serves its tenant again',
  },
  'pool.prewarm': {
    name: 'HOURGLASS_PREWARM',
    parser: read.choices(['python', 'javascript', 'shell']),
    default: ['python', 'javascript', 'shell'],
    description: 'runtimes that are warm from the start',
  },
} satisfies Partial<VariableTable>;
