import type { ExecutionMetadata, Language, LimitName, ProgramErrorCode } from '../../contract';
import type { PoolStats } from '../../pool';
import type { FailureType } from '../failure-type';

/** Every label there is with the values it can have: few, and none of them is chosen by a caller. */
export interface LabelValues {
  readonly language: Language;
  /** `OK`, or the code of the program's error. */
  readonly status: 'OK' | ProgramErrorCode;
  readonly start_kind: ExecutionMetadata['startKind'];
  readonly type: FailureType;
  readonly state: keyof PoolStats['slots'];
  /** The limit that was exceeded; `feature` for what this worker does not offer at all. */
  readonly pattern: LimitName | 'feature';
  readonly task_type: 'activity' | 'workflow';
}

export type LabelName = keyof LabelValues;

/** One metric as Prometheus shows it. */
export interface MetricDefinition {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly unit: string;
  readonly labels: readonly LabelName[];
  readonly meaning: string;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const DURATIONS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000];
const CPU_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];
const MIB = 1_048_576;
const MEMORY_BYTES = [8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096].map((mib) => mib * MIB);

/** Every metric of a worker: the first six are the reference's, under its names. */
export const METRICS = {
  duration: {
    name: 'code_execution_duration_ms',
    kind: 'histogram',
    unit: 'ms',
    labels: ['language'],
    buckets: DURATIONS_MS,
    meaning: 'time from the start of a program to its end',
  },
  executions: {
    name: 'code_execution_count',
    kind: 'counter',
    unit: 'executions',
    labels: ['language', 'status'],
    meaning: 'executions that ended with a result; status is OK or the code of the error',
  },
  active: {
    name: 'code_sandbox_containers_active',
    kind: 'gauge',
    unit: 'containers',
    labels: [],
    meaning: 'containers of this worker, in whatever state',
  },
  queueLength: {
    name: 'code_sandbox_queue_length',
    kind: 'gauge',
    unit: 'executions',
    labels: [],
    meaning: 'executions that wait in this worker for memory',
  },
  sessions: {
    name: 'code_session_count',
    kind: 'gauge',
    unit: 'sessions',
    labels: ['language'],
    meaning: 'open sessions',
  },
  blocks: {
    name: 'code_security_blocks',
    kind: 'counter',
    unit: 'executions',
    labels: ['pattern'],
    meaning: 'requests that the policy refused; pattern is the limit they exceed, or feature',
  },
  backlog: {
    name: 'code_task_queue_backlog',
    kind: 'gauge',
    unit: 'tasks',
    labels: ['task_type'],
    meaning: 'tasks that wait for a worker in Temporal, for the whole task queue, about',
  },
  queueWait: {
    name: 'code_execution_queue_wait_ms',
    kind: 'histogram',
    unit: 'ms',
    labels: [],
    buckets: DURATIONS_MS,
    meaning: 'wait of an attempt for a worker, a slot and memory',
  },
  starts: {
    name: 'code_execution_starts',
    kind: 'counter',
    unit: 'executions',
    labels: ['language', 'start_kind'],
    meaning: 'executions that ended with a result, by how their sandbox started: warm, cold or reused',
  },
  failures: {
    name: 'code_execution_failures',
    kind: 'counter',
    unit: 'attempts',
    labels: ['type'],
    meaning: 'attempts that ended without a result, by failure type or CANCELLED',
  },
  pool: {
    name: 'code_sandbox_pool_size',
    kind: 'gauge',
    unit: 'containers',
    labels: ['state'],
    meaning: 'containers of this worker by state',
  },
  bootFailures: {
    name: 'code_sandbox_boot_failures',
    kind: 'counter',
    unit: 'containers',
    labels: [],
    meaning: 'containers that did not get ready',
  },
  bytesIn: {
    name: 'code_execution_bytes_in',
    kind: 'counter',
    unit: 'bytes',
    labels: [],
    meaning: 'bytes of input files sent into sandboxes',
  },
  bytesOut: {
    name: 'code_execution_bytes_out',
    kind: 'counter',
    unit: 'bytes',
    labels: [],
    meaning: 'bytes of output files taken out of sandboxes',
  },
  peakMemory: {
    name: 'code_execution_peak_memory_bytes',
    kind: 'histogram',
    unit: 'bytes',
    labels: ['language'],
    buckets: MEMORY_BYTES,
    meaning: 'most memory a program held at a time',
  },
  cpu: {
    name: 'code_execution_cpu_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['language'],
    buckets: CPU_SECONDS,
    meaning: 'processor time of a program',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Bounds of the buckets by metric name, for `histogramBucketOverrides` of Temporal's Prometheus exporter. */
export const HISTOGRAM_BUCKETS: Readonly<Record<string, number[]>> = Object.fromEntries(
  Object.values<MetricDefinition>(METRICS).flatMap(({ name, buckets }) => (buckets ? [[name, [...buckets]]] : [])),
);
