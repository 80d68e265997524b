import { CancellationScope, proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import {
  sessionQueue,
  tenantOf,
  type CallOutcome,
  type SessionActivities,
  type SessionKey,
  type SessionOptions,
  type SessionPlace,
  type SessionTask,
} from '../../src/contract';
import { executeCodeOptions } from '../activity-options';
import { summariseSession, type UncheckedRequest } from '../summary';

/** A host that takes no call for longer is lost, and its sessions with it. */
const HOST_LOST_MS = 60_000;
const CLOSE_MS = 60_000;
/** A call that fails more often fails for good: its session is there for the next one. */
const MAX_CALL_ATTEMPTS = 10;

/** What the host has to know of a call beside its task. */
export interface CallFacts {
  readonly isRecreated: boolean;
  readonly isRepeated: boolean;
}

/** The activities of one session, on the hosts that have a part in it. */
export class SessionHosts {
  constructor(private readonly options: SessionOptions) {}

  /** Starts the sandbox on any host that has room; `generation` counts the sandboxes of the session. */
  open(generation: number): Promise<SessionPlace> {
    const activities = this.#activities(this.options, { summary: summariseSession(this.options) });
    return activities.openSession({ v: 1, key: this.#key(generation), options: this.options });
  }

  /** Does one task where the session is. */
  call(
    { hostId, sandboxId, restored }: SessionPlace,
    generation: number,
    callId: string,
    task: SessionTask,
    { isRecreated, isRepeated }: CallFacts,
  ): Promise<CallOutcome> {
    const request: UncheckedRequest = task.kind === 'execute' ? task.request : this.options;
    const summary = task.kind === 'execute' ? {} : { summary: `session · ${task.kind}` };
    const options = { ...this.#onHost(hostId), ...summary };
    const { retry } = executeCodeOptions(request);
    const activities = this.#activities(request, {
      ...options,
      retry: { ...retry, maximumAttempts: MAX_CALL_ATTEMPTS },
    });
    return activities.callSession({
      ...{ v: 1, key: this.#key(generation), sandboxId, callId, task },
      ...(isRecreated ? { recreated: true, ...(restored && { restored }) } : {}),
      ...(isRepeated ? { repeated: true } : {}),
    });
  }

  /**
   * Destroys the sandbox, also for a workflow that was cancelled; with `isLast` also what is kept of the session. A host that does not answer is not waited for: its worker
   * finds the session closed, or its guest ends itself.
   */
  async close({ hostId, sandboxId }: SessionPlace, generation: number, isLast: boolean): Promise<void> {
    const options = { ...this.#onHost(hostId), startToCloseTimeout: CLOSE_MS, summary: 'session · close' };
    const activities = this.#activities(this.options, { ...options, scheduleToCloseTimeout: 2 * CLOSE_MS });
    // Only where files may outlive their sandbox: workers of earlier versions do not know of it.
    const last = isLast && this.options.onLost === 'restore' ? { isLast } : {};
    const closing = (): Promise<void> =>
      activities.closeSession({ v: 1, key: this.#key(generation), sandboxId, ...last });
    await CancellationScope.nonCancellable(closing).catch(() => undefined);
  }

  #key(generation: number): SessionKey {
    const { workspaceId, userId } = tenantOf(this.options);
    const { firstExecutionRunId: firstRunId } = workflowInfo();
    return { workspaceId, userId, sessionId: this.options.sessionId, firstRunId, generation };
  }

  #onHost(hostId: string): Partial<ActivityOptions> {
    return { taskQueue: sessionQueue(workflowInfo().taskQueue, hostId), scheduleToStartTimeout: HOST_LOST_MS };
  }

  #activities(request: UncheckedRequest, options: Partial<ActivityOptions>): SessionActivities {
    return proxyActivities<SessionActivities>({ ...executeCodeOptions(request, workflowInfo().priority), ...options });
  }
}
