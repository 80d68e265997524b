import { HourglassError, type SessionKey } from '../contract';
import { attachGuest } from '../execution/attach-guest';
import { endsSandbox } from '../execution/ends-sandbox';
import { memoryNeed } from '../execution/memory-gate';
import type { Lease } from '../leases/lease-store';
import type { Booted } from '../pool';
import type { GuestState } from '../runner';
import type { Log } from '../telemetry/log';
import type { SessionHost } from './host';
import { openKeeper } from './file-keeper';
import { LiveSession } from './live-session';
import { keyOf, leaseKey, SessionRecord } from './session-record';

/** Who looks for a session. */
export interface Look {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Whether it is an attempt that is not the first. */
  readonly isLater?: boolean;
}

/**
 * Takes a session over that an earlier worker of this host has left; undefined where there is none.
 *
 * Rejects with HourglassError SESSION_LOST where its sandbox does not go on, ENGINE_UNAVAILABLE while the engine cannot say,
 * or with the signal's reason.
 */
export async function takeSession(key: SessionKey, host: SessionHost, look: Look): Promise<LiveSession | undefined> {
  const { signal, log } = look;
  const lease = host.leases.get(leaseKey(key));
  if (lease?.session === undefined || lease.resumption === undefined) return undefined;
  const { spec, startKind } = lease.resumption;
  // The earlier owner may live, and hears of the next one from the guest: by then the store has to say so.
  const next: Lease = { ...lease, ...host.owner };
  if (!(await host.leases.claim(next, lease))) return takeSession(key, host, look);
  const record = new SessionRecord(host.leases, next);
  let state: GuestState | undefined;
  const take = async (booting: AbortSignal): Promise<Booted> => {
    const taken = await attachGuest(host.engine, lease, spec, { signal: booting, log });
    if (taken === undefined) throw new HourglassError('SANDBOX_LOST', 'its sandbox does not run any more');
    state = taken.state;
    return taken;
  };
  try {
    const { sandbox, channel } = await host.pool.adopt(spec, take, signal);
    log.info({ sessionId: key.sessionId, containerId: lease.sandboxName, state: state?.state }, 'Session taken over');
    return new LiveSession({
      ...{ record, state, leased: { sandbox, channel, startKind }, keeper: await openKeeper(host.workspaces, next) },
      release: () => host.pool.release(sandbox),
      detach: () => host.pool.detach(sandbox),
      releaseMemory: host.memory.take(memoryNeed(lease.session.limits), { needsSlot: false }),
    });
  } catch (error) {
    throw await lossOf(error, lease, record, host, look);
  }
}

/** A sandbox that is no more, or does not answer as ours does, is removed with its record. */
async function lossOf(
  error: unknown,
  lease: Lease,
  record: SessionRecord,
  host: SessionHost,
  { isLater = false }: Look,
): Promise<unknown> {
  if (!endsSandbox(error)) return error;
  await host.engine.removeContainer(lease.containerId);
  await record.remove();
  // Where it was when the attempt before began, its program may have run.
  const details = { sandboxId: lease.sandboxName, mayHaveRun: isLater };
  return new HourglassError('SESSION_LOST', `the session is lost: ${error.message}`, details, { cause: error });
}

/** Takes over what earlier workers of this host have left: a guest that nobody speaks to ends itself. Never rejects. */
export async function takeAllSessions(
  host: SessionHost,
  isLiving: (workerId: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const left = host.leases.all().filter(({ session, workerId }) => session !== undefined && !isLiving(workerId));
  for (const key of left.flatMap((lease) => keyOf(lease) ?? [])) {
    if (signal.aborted) return;
    await host.sessions
      .find(key, () => takeSession(key, host, { signal, log: host.log }))
      .catch((error: unknown) => host.log.warn({ error, sessionId: key.sessionId }, 'A session was not taken over'));
  }
}
