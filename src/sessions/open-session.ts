import { moment } from '../clock';
import { HourglassError, parseAs, RUNTIME_OF, type ResolvedLimits, type SessionPlace } from '../contract';
import { sandboxSpec } from '../engine/sandbox-spec';
import { grantLimits } from '../execution/grant-limits';
import type { Attempt } from '../execution/host';
import { memoryNeed } from '../execution/memory-gate';
import type { Lease } from '../leases/lease-store';
import type { LeasedSandbox } from '../pool';
import type { SessionHost } from './host';
import { keepsOf, openKeeper } from './file-keeper';
import { LiveSession } from './live-session';
import { requireOwnKey } from './own-key';
import { restoreFiles } from './restore-files';
import { openSessionSchema, type ValidOpening } from './session-input';
import { leaseKey, SessionRecord } from './session-record';
import { takeSession } from './take-session';

/** Beside its own age: to be taken over, to be closed; in ms. */
const MARGIN_MS = 30 * 60_000;

/**
 * Makes room for a session on this host and starts its sandbox; asked again it finds the same one.
 *
 * Rejects with HourglassError VALIDATION_ERROR, POLICY_DENIED, SESSION_LIMIT, QUEUE_TIMEOUT or ENGINE_UNAVAILABLE, or with
 * the signal's reason; nothing is held then.
 */
export async function openSession(input: unknown, host: SessionHost, attempt: Attempt): Promise<SessionPlace> {
  const opening = parseAs(openSessionSchema, input, 'session');
  const { key, options } = opening;
  requireOwnKey(key, attempt);
  const limits = grantLimits({ resourceLimits: options.resourceLimits }, host.policy);
  const live = await host.sessions.open(
    key,
    () => takeSession(key, host, attempt),
    () => make(opening, limits, host, attempt),
  );
  attempt.progress.occupy(live.sandboxId);
  const restored = await restoreFiles(live, host, attempt);
  return {
    ...(restored && { restored }),
    hostId: host.owner.hostId,
    sandboxId: live.sandboxId,
    idleTtlMs: options.idleTtlMs ?? host.sessionTtlMs,
    ttlMs: options.ttlMs ?? host.sessionMaxAgeMs,
  };
}

async function make(
  opening: ValidOpening,
  limits: ResolvedLimits,
  host: SessionHost,
  attempt: Attempt,
): Promise<LiveSession> {
  const { key, options } = opening;
  const { signal, progress, log } = attempt;
  if (host.drain.mark !== undefined) {
    throw new HourglassError('HOST_DRAINING', `host ${host.owner.hostId} takes no new sessions`);
  }
  const wait = { signal, timeoutMs: host.queueTimeoutMs, needsSlot: false };
  const releaseMemory = await progress.queued(host.memory.acquire(memoryNeed(limits), wait));
  let leased: LeasedSandbox | undefined;
  try {
    leased = await host.pool.lease(sandboxSpec(RUNTIME_OF[options.language], [], limits), signal);
    const { sandbox } = leased;
    const lease = newLease(opening, limits, host, attempt, leased);
    const record = new SessionRecord(host.leases, lease);
    await record.write();
    log.info({ sessionId: key.sessionId, containerId: sandbox.name, language: options.language }, 'Session created');
    return new LiveSession({
      ...{ record, leased, releaseMemory, keeper: await openKeeper(host.workspaces, lease) },
      release: () => host.pool.release(sandbox),
      detach: () => host.pool.detach(sandbox),
    });
  } catch (error) {
    if (leased !== undefined) await host.pool.release(leased.sandbox);
    releaseMemory();
    throw error;
  }
}

function newLease(
  { key, options }: ValidOpening,
  limits: ResolvedLimits,
  { owner, sessionMaxAgeMs }: SessionHost,
  { turn }: Attempt,
  { sandbox, startKind }: LeasedSandbox,
): Lease {
  const { sessionId, firstRunId, generation } = key;
  const clock = moment();
  const until = clock.wallMs + (options.ttlMs ?? sessionMaxAgeMs) + MARGIN_MS;
  return {
    ...{
      v: 1,
      ...leaseKey(key),
      ...owner,
      attempt: turn,
      phase: 'started',
      createdAt: clock.wallMs,
      expiresAt: until,
      clock,
    },
    ...{ containerId: sandbox.containerId, sandboxName: sandbox.name },
    resumption: { spec: sandbox.spec, startKind, until },
    session: {
      sessionId,
      firstRunId,
      generation,
      language: options.language,
      limits,
      programs: 0,
      keeps: keepsOf(options),
    },
  };
}
