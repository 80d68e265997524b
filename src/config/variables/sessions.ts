import { SESSION_BOUNDS } from '../../contract';
import * as read from '../parsers';
import type { VariableTable } from '../variable';

const DAY_MS = 24 * 3_600_000;

/** How long sessions last, and how many there are. */
export const SESSIONS = {
  'sessions.ttlMs': {
    name: 'CODE_SESSION_TTL_MS',
    unit: 'ms',
    parser: read.whole(SESSION_BOUNDS.idleTtlMs),
    default: 600_000,
    description: 'a session without a call for longer ends, where it says nothing else',
  },
  'sessions.maxAgeMs': {
    name: 'HOURGLASS_SESSION_MAX_AGE_MS',
    unit: 'ms',
    parser: read.whole(SESSION_BOUNDS.ttlMs),
    default: DAY_MS,
    description: 'how long a session lasts in any case, where it says nothing else',
  },
  'sessions.max': {
    name: 'HOURGLASS_MAX_SESSIONS',
    unit: 'sessions',
    parser: read.whole({ min: 0, max: 1_000 }),
    default: 10,
    description: 'sessions a worker holds at a time; each has memory of the budget, and no slot of the executions',
  },
  'sessions.maxPerTenant': {
    name: 'HOURGLASS_MAX_SESSIONS_PER_TENANT',
    unit: 'sessions',
    parser: read.whole({ min: 1, max: 1_000 }),
    default: 5,
    description: 'sessions of one tenant on one worker',
  },
  'sessions.onShutdown': {
    name: 'HOURGLASS_SESSIONS_ON_SHUTDOWN',
    parser: read.choice(['keep', 'close']),
    default: 'keep',
    description:
      'whether sessions go on when their worker is shut down, and the next worker of this host takes them over',
  },
} satisfies Partial<VariableTable>;
