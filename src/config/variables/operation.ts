import * as read from '../parsers';
import type { VariableTable } from '../variable';

const DAY_MS = 24 * 3_600_000;

/** How a worker behaves over time, and what it tells. */
export const OPERATION = {
  leaseMs: {
    name: 'HOURGLASS_LEASE_MS',
    unit: 'ms',
    parser: read.whole({ min: 10_000, max: DAY_MS }),
    default: 600_000,
    description: 'a sandbox whose worker is silent for longer ends itself: longer than a deploy takes',
  },
  detachOnShutdown: {
    name: 'HOURGLASS_DETACH_ON_SHUTDOWN',
    parser: read.flag,
    default: true,
    description: 'programs that outlast the grace time go on, and the next worker of this host takes them over',
  },
  shutdownGraceMs: {
    name: 'HOURGLASS_SHUTDOWN_GRACE_MS',
    unit: 'ms',
    parser: read.whole({ min: 0, max: DAY_MS }),
    default: 30_000,
    description: 'how long running programs may go on after SIGTERM',
  },
  heartbeatIntervalMs: {
    name: 'HOURGLASS_HEARTBEAT_INTERVAL_MS',
    unit: 'ms',
    parser: read.whole({ min: 100, max: 1_500, because: 'a cancel is heard at the next heartbeat' }),
    default: 500,
    description: 'time between two heartbeats of an execution',
  },
  'observe.metricsAddress': {
    name: 'HOURGLASS_METRICS_ADDRESS',
    parser: read.listenAddress,
    default: undefined,
    description: 'where a worker offers Prometheus its metrics, at `/metrics`; unset: it measures nothing',
  },
  'observe.healthAddress': {
    name: 'HOURGLASS_HEALTH_ADDRESS',
    parser: read.listenAddress,
    default: undefined,
    description: 'where a worker answers `/healthz` and `/readyz`; unset: nowhere',
  },
  'log.level': {
    name: 'HOURGLASS_LOG_LEVEL',
    parser: read.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    description: 'least level that is logged',
  },
  'log.format': {
    name: 'HOURGLASS_LOG_FORMAT',
    parser: read.choice(['json', 'pretty']),
    default: ({ terminal }) => (terminal ? 'pretty' : 'json'),
    description: 'form of the log; default: pretty on a terminal, json elsewhere',
  },
} satisfies Partial<VariableTable>;
