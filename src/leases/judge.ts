import { nowSince } from '../clock';
import type { ListedContainer } from '../engine/container/labels';
import type { Lease } from './lease-store';

/** After this nobody can answer for a sandbox any more: its lease is over, and its guest has ended itself. */
export const OWNERLESS_MS = 30 * 60_000;
/** A container of our own that nobody holds may be one that is just booting. */
export const BOOTING_MS = 5 * 60_000;

/** What this host knows. */
export interface HostFacts {
  readonly hostId: string;
  readonly workerId: string;
  /** Worker processes of this host that live, by worker id. */
  readonly living: ReadonlySet<string>;
  /** Leases by container id. */
  readonly leases: ReadonlyMap<string, Lease>;
  /** Whether this process itself answers for a container. */
  readonly holds: (containerId: string) => boolean;
}

/** What to do with a container, and why. */
export type Verdict = { readonly remove: boolean; readonly reason: Reason };

export type Reason =
  | 'not ours'
  | 'of another host'
  | 'of another host, ended long ago'
  | 'held by this worker'
  | 'booting'
  | 'of a living worker'
  | 'leased'
  | 'left over by this worker'
  | 'its worker is gone';

const keep = (reason: Reason): Verdict => ({ remove: false, reason });
const remove = (reason: Reason): Verdict => ({ remove: true, reason });

/**
 * Decides whether a container is left over. Labels that we wrote, leases and living workers decide; names never do.
 *
 * A running container of another host is never removed: its guest ends itself without a living owner, and then it is
 * not running any more.
 */
export function judge({ id, isRunning, origin }: ListedContainer, facts: HostFacts, now: number): Verdict {
  if (origin === undefined) return keep('not ours');
  const age = now - origin.createdAt;
  if (facts.holds(id)) return keep('held by this worker');
  if (origin.hostId !== facts.hostId) {
    return !isRunning && age > OWNERLESS_MS ? remove('of another host, ended long ago') : keep('of another host');
  }
  const lease = facts.leases.get(id);
  // What has ended, or had to end long ago, is of no use to whoever might take it over; its record says what became of it.
  const isLeased = isRunning && hasTime(lease, now);
  if (origin.workerId === facts.workerId) {
    if (isLeased) return keep('leased');
    return age < BOOTING_MS ? keep('booting') : remove('left over by this worker');
  }
  if (facts.living.has(origin.workerId)) return keep('of a living worker');
  return isLeased ? keep('leased') : remove('its worker is gone');
}

function hasTime(lease: Lease | undefined, now: number): boolean {
  return lease !== undefined && nowSince(lease.clock, now) < (lease.resumption?.until ?? lease.expiresAt);
}
