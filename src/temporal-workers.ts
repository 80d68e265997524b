import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  Worker,
  type ActivitySlotInfo,
  type NativeConnection,
  type SlotSupplier,
  type WorkerOptions,
} from '@temporalio/worker';
import { createActivities } from '../activities';
import type { IsAwaited } from '../activities/attempt-signal';
import { createHostActivities } from '../activities/hosts';
import { isAwaited } from '../activities/is-awaited';
import { createSessionActivities } from '../activities/sessions';
import { traceParents } from '../activities/trace-parent';
import { ActivitySlots } from './activity-slots';
import type { HourglassConfig } from './config';
import { hostQueue, sessionQueue, workerIdentity } from './contract';
import { packageRoot } from './package-root';
import type { WorkerHost } from './worker-host';

/** Time for sandboxes to be removed after the last execution was told to end, in ms. */
export const CLEANUP_MS = 30_000;
const WORKFLOW_SLOTS = 40;
/** A session has one call at a time; sessions that end have another one. */
const CLOSE_SLOTS = 2;
/** A host whose slots are all in use answers for itself nevertheless. */
const ANSWER_SLOTS = 2;

/** How Temporal's workers differ from what the SDK makes of them. */
export interface WorkerTuning {
  /** Workflows kept in memory between their tasks; 0: every task replays its history. Default: by the SDK. */
  readonly maxCachedWorkflows?: number;
  /** Our workflows as one bundle. Default: the one that the build made, else the sources, bundled at the start. */
  readonly workflowBundlePath?: string;
}

/** One for the common task queue; one for that of this host, where attempts ask for what earlier ones have left here; one for its sessions. */
export function createTemporalWorkers(
  config: HourglassConfig,
  host: WorkerHost,
  connection: NativeConnection,
  { maxCachedWorkflows, workflowBundlePath }: WorkerTuning,
): Promise<Worker[]> {
  const { namespace, taskQueue } = config.temporal;
  const awaited: IsAwaited = (activity) => isAwaited(connection, namespace, activity);
  const activities = { ...createActivities(host, awaited), ...createSessionActivities(host, awaited) };
  const options: WorkerOptions = {
    connection,
    namespace,
    taskQueue,
    identity: workerIdentity({ hostId: host.owner.hostId, pid: process.pid }),
    activities,
    ...heartbeatThrottle(config),
    tuner: tunerOf(newWorkSlots(config, host)),
    shutdownGraceTime: config.shutdownGraceMs,
    shutdownForceTime: config.shutdownGraceMs + CLEANUP_MS,
  };
  const { workflows, activity } = workflowSource(host, workflowBundlePath);
  const cache = maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows };
  const interceptors = { activity, ...workflows.interceptors };
  return Promise.all([
    Worker.create({ ...options, ...workflows, ...cache, interceptors }),
    Worker.create({
      ...options,
      taskQueue: hostQueue(taskQueue, host.owner.hostId),
      activities: { ...activities, ...createHostActivities(host) },
      tuner: tunerOf(fixed(ANSWER_SLOTS + config.maxConcurrentExecutions)),
      interceptors: { activity },
    }),
    Worker.create({
      ...options,
      taskQueue: sessionQueue(taskQueue, host.owner.hostId),
      tuner: tunerOf(fixed(CLOSE_SLOTS + config.sessions.max)),
      interceptors: { activity },
    }),
  ]);
}

/** The server answers a heartbeat with cancel: throttled, a cancel would be late by as much. */
function heartbeatThrottle({ heartbeatIntervalMs }: HourglassConfig): Partial<WorkerOptions> {
  return {
    maxHeartbeatThrottleInterval: heartbeatIntervalMs,
    defaultHeartbeatThrottleInterval: heartbeatIntervalMs,
  };
}

type ActivitySupplier = SlotSupplier<ActivitySlotInfo>;

/** A worker polls only what it can hold sandboxes for; what waits, waits in Temporal. */
function newWorkSlots({ maxConcurrentExecutions }: HourglassConfig, { drain, tenants }: WorkerHost): ActivitySupplier {
  // Who waits for the tenant's turn keeps nobody else from a slot.
  const total = (): number => maxConcurrentExecutions + tenants.waiting;
  const slots = new ActivitySlots(total, () => drain.mark === undefined);
  drain.onChange(() => slots.look());
  tenants.onChange(() => slots.look());
  return slots;
}

const fixed = (numSlots: number): ActivitySupplier => ({ type: 'fixed-size', numSlots });

function tunerOf(activities: ActivitySupplier): WorkerOptions['tuner'] {
  return {
    activityTaskSlotSupplier: activities,
    workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: WORKFLOW_SLOTS },
    localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
    nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
  };
}

interface WorkflowSource {
  readonly workflows: Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'interceptors'>;
  readonly activity: NonNullable<WorkerOptions['interceptors']>['activity'];
}

/** The bundle that is there, else the sources, bundled now; with what passes the caller's trace on. */
function workflowSource(host: WorkerHost, bundlePath = builtBundle()): WorkflowSource {
  const activity = [traceParents(host)];
  if (bundlePath !== undefined) return { workflows: { workflowBundle: { codePath: bundlePath } }, activity };
  const workflowModules = [require.resolve('../workflows/trace-header')];
  return { workflows: { workflowsPath: require.resolve('../workflows'), interceptors: { workflowModules } }, activity };
}

/** Undefined where the sources run, which the last build may not fit. */
function builtBundle(): string | undefined {
  const codePath = join(packageRoot(), 'lib', 'workflow-bundle.js');
  return __filename.endsWith('.js') && existsSync(codePath) ? codePath : undefined;
}
