import { randomUUID } from 'node:crypto';
import type { HourglassConfig } from './config';
import { ensureStateDir } from './config/state-dir';
import type { LimitPolicy } from './contract';
import { StartCheck } from './doctor/start-check';
import { createContainerEngine } from './engine/container';
import type { EngineFacts } from './engine/container/engine-facts';
import type { Engine } from './engine/engine';
import { Attempts } from './execution/attempts';
import { Background } from './execution/background';
import { memoryBudgetMb } from './execution/memory-budget';
import { MemoryGate } from './execution/memory-gate';
import type { OutputListener } from './execution/progress';
import { TenantGate } from './execution/tenant-gate';
import { Drain } from './leases/drain';
import { openLeaseStore } from './leases/lmdb-lease-store';
import type { LeaseStore } from './leases/lease-store';
import { livingWorkers } from './leases/liveness';
import { Reachability } from './leases/reachability';
import { Reaper } from './leases/reaper';
import { createWarmPool, type WarmPool } from './pool';
import { retry } from './retry';
import { LeaveRunning } from './runner';
import type { SessionHost } from './sessions/host';
import { Sessions } from './sessions/sessions';
import { takeAllSessions } from './sessions/take-session';
import type { Log } from './telemetry/log';
import { loggedEngine } from './telemetry/logged-engine';
import { createExecutionMetrics, NO_METRICS, sampleGauges, type Instruments } from './telemetry/metrics';
import { openTracing } from './telemetry/tracing';
import { createDiskWorkspaceStore } from './workspace/disk-store';
import type { WorkspaceStore } from './workspace/workspace';

/** How often temporary files that nobody owns are looked for. */
const RECOVER_MS = 5 * 60_000;

/** What a `SessionHost` is made of, and how it ends. */
export interface WorkerHost extends SessionHost {
  readonly pool: WarmPool;
  /** Of the server that hears of results; nobody checks it but the worker. */
  readonly reachability: Reachability;
  /** Waits at most `graceMs` for running sandboxes, destroys all of this worker's, and closes what is open. Never rejects. */
  close(graceMs: number): Promise<void>;
}

export interface WorkerHostOptions {
  readonly log: Log;
  readonly onOutput?: OutputListener | undefined;
  /** Where executions and sandboxes are counted; undefined: nowhere. */
  readonly instruments?: Instruments | undefined;
  /** Gives up the wait for the engine. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens everything that executions on this machine need, and removes what crashed workers left behind.
 *
 * Tries an engine that is down again for a while; rejects with HourglassError ENGINE_UNAVAILABLE then, with
 * HostUnfitError where the host does not keep what is promised, or with LeaseStoreError; nothing is left open.
 */
export async function openWorkerHost(config: HourglassConfig, options: WorkerHostOptions): Promise<WorkerHost> {
  const { log } = options;
  await ensureStateDir(config.stateDir);
  const leases = await openLeaseStore(config.stateDir);
  const owner = { hostId: leases.hostId, workerId: randomUUID() };
  const container = createContainerEngine(config, log);
  const engine = loggedEngine(container, log);
  try {
    const facts = await retry(() => container.facts(), { what: 'The engine', log, signal: options.signal });
    const check = new StartCheck({ engine: container, ...config.engine, log });
    await check.requireEngine(facts);
    const workspaces = await openWorkspaces(config, log);
    const pool = await createWarmPool(config, engine, owner, log);
    const reachability = new Reachability();
    const reaper = new Reaper({
      ...{ directory: container, store: leases, workerId: owner.workerId, image: engine.image },
      ...{ holds: (containerId: string) => pool.holds(containerId), reachability, log },
      capacity: { slots: config.maxConcurrentExecutions, sessions: config.sessions.max },
    });
    await reaper.start();
    // The pool boots meanwhile: a start waits for the slower of the two, not for both.
    pool.start();
    await check.requireSandbox(facts, owner, options.signal).catch(async (error: unknown) => {
      await pool.drain(0);
      await reaper.stop();
      throw error;
    });
    const tracing = await openTracing(log);
    const closing = new AbortController();
    const opened = { engine, facts, owner, pool, workspaces, leases, tracing, closing: closing.signal };
    const host = assemble(config, options, opened);
    return closable({ ...host, engine, pool, reachability }, { reaper, closing }, config, options);
  } catch (error) {
    await Promise.allSettled([leases.close(), engine.close()]);
    throw error;
  }
}

type Opened = Pick<SessionHost, 'owner' | 'workspaces' | 'leases' | 'tracing' | 'closing'> & {
  readonly engine: Engine;
  readonly facts: EngineFacts;
  readonly pool: WarmPool;
};

function assemble(
  config: HourglassConfig,
  { log, instruments, onOutput }: WorkerHostOptions,
  { engine, facts, ...opened }: Opened,
): SessionHost {
  return {
    ...opened,
    engine,
    image: engine.image,
    metrics: instruments ? createExecutionMetrics(instruments) : NO_METRICS,
    policy: grantable(config.policy, facts),
    allowsReuse: config.reuse.maxUses > 0,
    background: new Background(),
    memory: new MemoryGate(memoryBudgetMb(config, facts.memoryBytes), config.maxConcurrentExecutions),
    tenants: new TenantGate(config.maxRunningPerTenant, config.maxConcurrentExecutions),
    attempts: new Attempts(),
    drain: new Drain(opened.leases),
    sessions: new Sessions(config.sessions),
    ...settings(config),
    log: log.child({ hostId: opened.owner.hostId }),
    onOutput,
  };
}

/** The host at work: with what it does by itself from now on, and how that ends. */
function closable(
  host: Omit<WorkerHost, 'close'> & { readonly engine: Engine },
  { reaper, closing }: { readonly reaper: Reaper; readonly closing: AbortController },
  config: HourglassConfig,
  { log, instruments }: WorkerHostOptions,
): WorkerHost {
  const { pool, memory, background, leases, engine, sessions, workspaces, owner } = host;
  const recovery = setInterval(() => void recover(workspaces, log), RECOVER_MS).unref();
  const stopGauges = instruments && sampleGauges(instruments, { pool, memory, sessions });
  const living = livingWorkers(leases, Date.now()).add(owner.workerId);
  const taking = takeAllSessions(host, (workerId) => living.has(workerId), closing.signal);
  return {
    ...host,
    close: async (graceMs) => {
      clearInterval(recovery);
      stopGauges?.();
      closing.abort(new LeaveRunning('the worker stops'));
      host.drain.close();
      await taking;
      await sessions.end(config.sessions.onShutdown);
      await close({ pool, background, reaper, leases, engine, log }, graceMs);
    },
  };
}

function settings(config: HourglassConfig) {
  const { workspace, queueTimeoutMs, heartbeatIntervalMs, detachOnShutdown, sessions } = config;
  return {
    ...{ maxFileBytes: workspace.maxFileBytes, queueTimeoutMs, heartbeatIntervalMs, detachOnShutdown },
    ...{ sessionTtlMs: sessions.ttlMs, sessionMaxAgeMs: sessions.maxAgeMs },
    sessionsGoOn: sessions.onShutdown === 'keep',
  };
}

async function openWorkspaces({ workspace }: HourglassConfig, log: Log): Promise<WorkspaceStore> {
  const workspaces = createDiskWorkspaceStore({ ...workspace, log });
  await recover(workspaces, log);
  return workspaces;
}

async function recover(workspaces: WorkspaceStore, log: Log): Promise<void> {
  try {
    await workspaces.recover();
  } catch (error) {
    log.warn({ error }, 'Workspaces could not be put in order; the next try is due in minutes');
  }
}

/** Nobody is granted more processors than the engine has: Docker would refuse the container. */
function grantable(policy: LimitPolicy, { cpus }: EngineFacts): LimitPolicy {
  const cpuCores = Math.min(policy.maxima.cpuCores, cpus);
  return { ...policy, maxima: { ...policy.maxima, cpuCores } };
}

interface Closing {
  readonly pool: WarmPool;
  readonly background: Background;
  readonly reaper: Reaper;
  readonly leases: LeaseStore;
  readonly engine: Engine;
  readonly log: Log;
}

async function close({ pool, background, reaper, leases, engine, log }: Closing, graceMs: number): Promise<void> {
  await pool.drain(graceMs);
  await background.settled();
  // In this order: the reaper writes into the store, and both may still ask the engine.
  for (const end of [() => reaper.stop(), () => leases.close(), () => engine.close()]) {
    await end().catch((error: unknown) => log.warn({ error }, 'A part of the worker could not be closed'));
  }
}
