import { DEFAULT_TENANT } from '../../../src/contract';
import { BOOTING_MS, judge, OWNERLESS_MS, type HostFacts } from '../../../src/leases/judge';
import type { Lease } from '../../../src/leases/lease-store';

const NOW = 1_700_000_000_000;
const SECOND = 1_000;

const lease = (containerId: string, expiresInMs: number): [string, Lease] => [
  containerId,
  {
    v: 1,
    tenant: DEFAULT_TENANT,
    executionId: 'execution',
    origin: 'workflow',
    attempt: 1,
    containerId,
    sandboxName: 'hourglass-1',
    hostId: 'here',
    workerId: 'dead',
    phase: 'started',
    createdAt: NOW - SECOND,
    expiresAt: NOW + expiresInMs,
  },
];

const spec = { runtime: 'python', preload: [], memoryMb: 1, diskMb: 1, cpuCores: 1, maxPids: 1 } as const;
const overdue: [string, Lease] = [
  'overdue',
  { ...lease('overdue', 100)[1], resumption: { spec, startKind: 'warm', until: NOW } },
];

const FACTS: HostFacts = {
  hostId: 'here',
  workerId: 'self',
  living: new Set(['self', 'other']),
  leases: new Map([lease('leased', 1), lease('expired', 0), overdue]),
  holds: (id) => id === 'held',
};

interface Case {
  readonly what: string;
  readonly id?: string;
  readonly host?: string;
  readonly worker?: string;
  readonly age?: number;
  readonly running?: boolean;
  readonly verdict: 'keep' | 'remove';
  readonly reason: string;
}

const LONG = OWNERLESS_MS + 1;

const CASES: readonly Case[] = [
  { what: 'of a worker that is gone', worker: 'dead', verdict: 'remove', reason: 'its worker is gone' },
  {
    what: 'of a worker that is gone, exited',
    worker: 'dead',
    running: false,
    verdict: 'remove',
    reason: 'its worker is gone',
  },
  {
    what: 'of a worker that is gone, just made',
    worker: 'dead',
    age: 0,
    verdict: 'remove',
    reason: 'its worker is gone',
  },
  { what: 'of a worker that is gone, leased', worker: 'dead', id: 'leased', verdict: 'keep', reason: 'leased' },
  {
    what: 'of a worker that is gone, lease over',
    worker: 'dead',
    id: 'expired',
    verdict: 'remove',
    reason: 'its worker is gone',
  },
  {
    what: 'of a worker that is gone, leased, exited',
    worker: 'dead',
    id: 'leased',
    running: false,
    verdict: 'remove',
    reason: 'its worker is gone',
  },
  {
    what: 'of a worker that is gone, leased, beyond its time',
    worker: 'dead',
    id: 'overdue',
    verdict: 'remove',
    reason: 'its worker is gone',
  },
  {
    what: 'of a worker that is gone, taken over',
    worker: 'dead',
    id: 'held',
    verdict: 'keep',
    reason: 'held by this worker',
  },
  { what: 'of another living worker', worker: 'other', verdict: 'keep', reason: 'of a living worker' },
  {
    what: 'of another living worker, old',
    worker: 'other',
    age: 100 * LONG,
    verdict: 'keep',
    reason: 'of a living worker',
  },
  {
    what: 'of another living worker, lease over',
    worker: 'other',
    id: 'expired',
    verdict: 'keep',
    reason: 'of a living worker',
  },
  { what: 'that this worker holds', id: 'held', age: 100 * LONG, verdict: 'keep', reason: 'held by this worker' },
  { what: 'of this worker that just boots', age: BOOTING_MS - 1, verdict: 'keep', reason: 'booting' },
  { what: 'of this worker that nobody holds', age: BOOTING_MS, verdict: 'remove', reason: 'left over by this worker' },
  { what: 'of this worker, leased', id: 'leased', age: LONG, verdict: 'keep', reason: 'leased' },
  { what: 'of another host', host: 'there', worker: 'dead', verdict: 'keep', reason: 'of another host' },
  { what: 'of another host, old, running', host: 'there', age: 100 * LONG, verdict: 'keep', reason: 'of another host' },
  { what: 'of another host, just exited', host: 'there', running: false, verdict: 'keep', reason: 'of another host' },
  {
    what: 'of another host, exited, old',
    host: 'there',
    age: LONG,
    running: false,
    verdict: 'remove',
    reason: 'of another host, ended long ago',
  },
];

test.each(CASES)(
  'a container $what: $verdict',
  ({ id = 'x', host = 'here', worker = 'self', age = 60 * SECOND, ...rest }) => {
    const origin = { hostId: host, workerId: worker, createdAt: NOW - age };
    const container = { id, name: 'hourglass-1', isRunning: rest.running ?? true, origin };
    expect(judge(container, FACTS, NOW)).toEqual({ remove: rest.verdict === 'remove', reason: rest.reason });
  },
);

test.each([true, false])(
  'a container without our labels is kept, whatever its name and age (running: %s)',
  (isRunning) => {
    const container = { id: 'x', name: 'hourglass-1', isRunning, origin: undefined };
    expect(judge(container, FACTS, NOW)).toEqual({ remove: false, reason: 'not ours' });
  },
);
