import { inLanes } from '../lanes';
import type { Log } from '../telemetry/log';
import type { ContainerDirectory } from './left-overs';
import type { Lease, LeaseStore, WorkflowRun } from './lease-store';
import { livingWorkers } from './liveness';
import { isOfAttempt } from './of-attempt';

const PARALLEL_QUESTIONS = 4;
const CHECK_MS = 30_000;

/** Whether a workflow run goes on; true where nobody can say. Never rejects. */
export type IsOpen = (workflow: WorkflowRun) => Promise<boolean>;

export interface UnawaitedOptions {
  readonly store: LeaseStore;
  /** The worker that asks; it answers for its own. */
  readonly workerId: string;
  readonly directory: Pick<ContainerDirectory, 'removeContainer'>;
  readonly isOpen: IsOpen;
  readonly log: Log;
}

/**
 * Ends programs that go on after their worker and whose workflow is closed, now and twice a minute: no attempt comes for
 * them any more, and no heartbeat says so. The result stops it.
 */
export function watchUnawaited(options: UnawaitedOptions): () => void {
  const check = (): void => {
    endUnawaited(options).catch((error: unknown) => {
      options.log.warn({ error }, 'Sandboxes without a worker could not be looked for; the next check is due soon');
    });
  };
  check();
  const timer = setInterval(check, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** One check. Rejects where the store cannot be read. */
export async function endUnawaited({ store, workerId: own, directory, isOpen, log }: UnawaitedOptions): Promise<void> {
  const living = livingWorkers(store, Date.now()).add(own);
  const orphans = store.all().filter(({ hostId, workerId }) => hostId === store.hostId && !living.has(workerId));
  await inLanes(orphans, PARALLEL_QUESTIONS, async (lease) => {
    if (lease.workflow === undefined || (await isOpen(lease.workflow))) return;
    try {
      await end(lease, store, directory);
      log.info({ sandbox: lease.sandboxName }, 'A sandbox without a worker was removed: its workflow is closed');
    } catch (error) {
      log.warn({ error, sandbox: lease.sandboxName }, 'A sandbox whose workflow is closed could not be removed');
    }
  });
}

/** A later attempt has the sandbox where the record is not the same any more. */
async function end(lease: Lease, store: LeaseStore, directory: UnawaitedOptions['directory']): Promise<void> {
  const isSame = (): boolean => {
    const record = store.get(lease);
    return record !== undefined && isOfAttempt(record, lease);
  };
  if (isSame()) await directory.removeContainer(lease.containerId);
  if (isSame()) await store.remove(lease);
}
