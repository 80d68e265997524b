import { sessionWorkflowId, type SessionKey } from '../contract';
import type { ContainerDirectory } from '../leases/left-overs';
import type { Lease, LeaseStore } from '../leases/lease-store';
import { ownLeases } from '../leases/own-leases';
import { inLanes } from '../lanes';
import type { Log } from '../telemetry/log';
import { keyOf } from './session-record';
import type { Sessions } from './sessions';

const PARALLEL_QUESTIONS = 4;
/** A session has no heartbeat between its calls: its worker asks whether its workflow goes on. */
const CHECK_MS = 5_000;

/** The workflow of a session, over all its runs. */
export interface SessionRun {
  readonly workflowId: string;
  readonly firstRunId: string;
}

export interface SessionWatchOptions {
  readonly sessions: Sessions;
  readonly store: LeaseStore;
  readonly workerId: string;
  readonly directory: Pick<ContainerDirectory, 'removeContainer'>;
  /** Takes a session over that this worker has let go of. */
  readonly take: (key: SessionKey) => Promise<unknown>;
  /** True where nobody can say; never rejects. */
  readonly isOpen: (run: SessionRun) => Promise<boolean>;
  /** Removes what is kept of a session. */
  readonly forgetFiles: (key: SessionKey) => Promise<void>;
  readonly log: Log;
}

/**
 * Ends sessions of this worker, and of workers of this host that are gone, whose workflow was terminated or forgotten, and holds on to
 * those that go on, also where a call was paused: a guest that nobody speaks to ends itself. The result stops it.
 */
export function watchSessions(options: SessionWatchOptions): () => void {
  let isChecking = false;
  const check = async (): Promise<void> => {
    isChecking = true;
    try {
      await endUnwanted(options);
    } catch (error) {
      options.log.warn({ error }, 'Sessions could not be looked through; the next look is due soon');
    } finally {
      isChecking = false;
    }
  };
  const timer = setInterval(() => {
    if (!isChecking) void check();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

async function endUnwanted(options: SessionWatchOptions): Promise<void> {
  const { sessions, store, workerId, directory, isOpen, forgetFiles, log } = options;
  sessions.dropForeign();
  await inLanes(ownLeases(store, workerId), PARALLEL_QUESTIONS, async (lease) => {
    const key = keyOf(lease);
    if (key === undefined) return;
    const { sessionId, firstRunId } = key;
    if (await isOpen({ workflowId: sessionWorkflowId(key, sessionId), firstRunId })) return holdOn(lease, key, options);
    await end(lease, sessions, store, directory);
    await forgetFiles(key).catch((error: unknown) =>
      log.warn({ error, sessionId }, 'Files of a session were not removed'),
    );
    log.info({ sessionId, containerId: lease.sandboxName }, 'A session ended with its workflow');
  });
}

async function holdOn(
  { workerId, sandboxName }: Lease,
  key: SessionKey,
  { sessions, workerId: own, take, log }: SessionWatchOptions,
): Promise<void> {
  if (workerId !== own || sessions.holds(sandboxName)) return;
  await take(key).catch((error: unknown) => {
    log.warn({ error, sessionId: key.sessionId }, 'A session was not taken over again');
  });
}

async function end(
  lease: Lease,
  sessions: Sessions,
  store: LeaseStore,
  directory: SessionWatchOptions['directory'],
): Promise<void> {
  const live = sessions.live().find(({ sandboxId }) => sandboxId === lease.sandboxName);
  if (live !== undefined) {
    sessions.forget(live);
    await live.close();
  } else {
    await directory.removeContainer(lease.containerId);
    await store.remove(lease);
  }
}
