import { LIMITS, UNSTATED_TIMEOUT_MS, type LimitName } from '../contract';
import * as read from './parsers';
import type { VariableTable } from './variable';

const MiB = 1_048_576;
const GiB = 1_024 * MiB;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const toMegabytes = (bytes: number): number => Math.floor(bytes / MiB);
const toBytes = (megabytes: number): number => megabytes * MiB;
const nonBlank = /^\S(.*\S)?$/;
const SHARED_PAYLOAD = 'stdout and stderr, each up to this, share one payload of 256 KiB with the result';

const BEYOND_IS_STATED = 'a program that may run longer names its timeout in its request';

/** A limit's own range, as the contract states it. */
function limit(name: LimitName, because?: string): read.Parser<number> {
  const { min, ceiling, unit } = LIMITS[name];
  const range = { min, max: ceiling, ...(because === undefined ? {} : { because }) };
  return unit === 'cores' ? read.decimal(range) : read.whole(range);
}

/** Every setting by the field it fills. The compiler checks that none is missing and that each has the field's type. */
export const VARIABLES: VariableTable = {
  'temporal.address': {
    name: 'TEMPORAL_ADDRESS',
    parser: read.address,
    default: undefined,
    description: 'Temporal server; unset: commands look for one at localhost:7233 or start one',
  },
  'temporal.namespace': {
    name: 'TEMPORAL_NAMESPACE',
    parser: read.text('a namespace name', nonBlank),
    default: 'default',
    description: 'Temporal namespace',
  },
  'temporal.taskQueue': {
    name: 'HOURGLASS_TASK_QUEUE',
    parser: read.text('a task queue name', nonBlank),
    default: 'hourglass',
    description: 'task queue that workers poll and clients use',
  },
  'temporal.apiKey': {
    name: 'TEMPORAL_API_KEY',
    // A key travels in a header: printable ASCII without spaces.
    parser: read.text('printable ASCII characters without spaces', /^[\x21-\x7e]+$/),
    default: undefined,
    secret: true,
    description: 'API key for the Temporal server; switches TLS on',
  },
  'temporal.tls': {
    name: 'TEMPORAL_TLS',
    parser: read.flag,
    default: ({ isSet }) => isSet('TEMPORAL_API_KEY'),
    description: 'whether to connect by TLS; default: true with an API key, else false',
  },
  'temporal.cliPath': {
    name: 'TEMPORAL_CLI_PATH',
    parser: read.path,
    default: undefined,
    description: 'Temporal CLI binary for development servers; unset: the one on the PATH, or the one set-up brings',
  },
  'temporal.uiUrl': {
    name: 'HOURGLASS_UI_URL',
    parser: read.webAddress,
    default: undefined,
    description: 'base URL of the Temporal UI for links; unset: derived from the server',
  },
  'engine.image': {
    name: 'CODE_SANDBOX_IMAGE',
    parser: read.text('an image name', nonBlank),
    default: undefined,
    description: 'sandbox image; unset: the one set-up builds, named by the hash of its content',
  },
  'engine.dockerHost': {
    name: 'DOCKER_HOST',
    parser: read.text('a URL such as unix:///var/run/docker.sock', /^(unix|tcp|https?|npipe|ssh):\/\/\S+$/),
    default: undefined,
    description: 'Docker engine; unset: the default socket',
  },
  'engine.runtime': {
    name: 'HOURGLASS_RUNTIME',
    parser: read.text('a runtime name', /^[A-Za-z0-9._-]+$/),
    default: undefined,
    description: "OCI runtime, such as runc or runsc; unset: the engine's default",
  },
  'engine.bootTimeoutMs': {
    name: 'HOURGLASS_BOOT_TIMEOUT_MS',
    unit: 'ms',
    parser: read.whole({ min: 1_000, max: HOUR_MS }),
    default: 30_000,
    description: 'longest wait for a sandbox to be ready',
  },
  maxConcurrentExecutions: {
    name: 'MAX_CONCURRENT_EXECUTIONS',
    parser: read.whole({ min: 1, max: 1_000 }),
    default: 10,
    description: 'executions a worker runs at a time',
  },
  memoryBudgetMb: {
    name: 'HOURGLASS_MEMORY_BUDGET_MB',
    unit: 'MB',
    parser: read.whole({ min: 64, max: 16_777_216 }),
    default: undefined,
    description: "memory of all running sandboxes; unset: slots x default memory plus half of the engine's rest",
  },
  queueTimeoutMs: {
    name: 'HOURGLASS_QUEUE_TIMEOUT_MS',
    unit: 'ms',
    parser: read.whole({ min: 0, max: DAY_MS }),
    default: 300_000,
    description: 'longest wait for memory inside the activity; 0: none',
  },
  'pool.warmPerKey': {
    name: 'HOURGLASS_WARM_PER_KEY',
    unit: 'sandboxes',
    parser: read.whole({ min: 0, max: 100 }),
    default: 1,
    description: 'sandboxes kept warm for each kind in use; 0 switches the pool off',
  },
  'pool.maxWarm': {
    name: 'HOURGLASS_MAX_WARM',
    unit: 'sandboxes',
    parser: read.whole({ min: 0, max: 1_000 }),
    default: 4,
    description: 'warm sandboxes of all kinds together',
  },
  'pool.prewarm': {
    name: 'HOURGLASS_PREWARM',
    parser: read.choices(['python', 'javascript', 'shell']),
    default: ['python', 'javascript', 'shell'],
    description: 'runtimes that are warm from the start',
  },
  'policy.defaults.timeout': {
    name: 'CODE_SANDBOX_TIMEOUT_MS',
    unit: 'ms',
    parser: read.whole({ min: LIMITS.timeout.min, max: UNSTATED_TIMEOUT_MS, because: BEYOND_IS_STATED }),
    default: LIMITS.timeout.default,
    description: 'default timeout of a program',
  },
  'policy.defaults.memoryMb': {
    name: 'CODE_SANDBOX_MEMORY_BYTES',
    unit: 'bytes',
    parser: read.scaled(
      read.whole({ min: toBytes(LIMITS.memoryMb.min), max: toBytes(LIMITS.memoryMb.ceiling) }),
      toMegabytes,
    ),
    show: toBytes,
    default: LIMITS.memoryMb.default,
    description: 'default memory of a program; cut to whole MB',
  },
  'policy.defaults.cpuCores': {
    name: 'CODE_SANDBOX_CPU_CORES',
    unit: 'cores',
    parser: limit('cpuCores'),
    default: LIMITS.cpuCores.default,
    description: 'default processor share of a program',
  },
  'policy.defaults.maxPids': {
    name: 'CODE_SANDBOX_MAX_PIDS',
    unit: 'processes',
    parser: limit('maxPids'),
    default: LIMITS.maxPids.default,
    description: 'default number of processes and threads of a program',
  },
  'policy.defaults.maxOutputBytes': {
    name: 'CODE_SANDBOX_MAX_OUTPUT_BYTES',
    unit: 'bytes',
    parser: limit('maxOutputBytes', SHARED_PAYLOAD),
    default: LIMITS.maxOutputBytes.default,
    description: 'default bound of stdout and of stderr, each',
  },
  'policy.maxima.timeout': {
    name: 'HOURGLASS_MAX_TIMEOUT_MS',
    unit: 'ms',
    parser: limit('timeout'),
    default: LIMITS.timeout.policyMax,
    description: 'longest timeout a request may ask for',
  },
  'policy.maxima.memoryMb': {
    name: 'HOURGLASS_MAX_MEMORY_MB',
    unit: 'MB',
    parser: limit('memoryMb'),
    default: LIMITS.memoryMb.policyMax,
    description: 'most memory a request may ask for',
  },
  'policy.maxima.diskMb': {
    name: 'HOURGLASS_MAX_DISK_MB',
    unit: 'MB',
    parser: limit('diskMb'),
    default: LIMITS.diskMb.policyMax,
    description: 'most disk a request may ask for',
  },
  'policy.maxima.cpuCores': {
    name: 'HOURGLASS_MAX_CPU_CORES',
    unit: 'cores',
    parser: limit('cpuCores'),
    default: LIMITS.cpuCores.policyMax,
    description: 'most processor share a request may ask for',
  },
  'policy.maxima.maxPids': {
    name: 'HOURGLASS_MAX_PIDS',
    unit: 'processes',
    parser: limit('maxPids'),
    default: LIMITS.maxPids.policyMax,
    description: 'most processes and threads a request may ask for',
  },
  'policy.maxima.maxOutputBytes': {
    name: 'HOURGLASS_MAX_OUTPUT_BYTES',
    unit: 'bytes',
    parser: limit('maxOutputBytes', SHARED_PAYLOAD),
    default: LIMITS.maxOutputBytes.policyMax,
    description: 'largest output bound a request may ask for',
  },
  'workspace.dir': {
    name: 'HOURGLASS_WORKSPACE_DIR',
    parser: read.path,
    default: ({ places }) => `${places.data}/workspace`,
    description: 'folder of the workspace, one folder a tenant below it',
  },
  'workspace.quotaBytes': {
    name: 'HOURGLASS_WORKSPACE_QUOTA_BYTES',
    unit: 'bytes',
    parser: read.whole({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    default: 10 * GiB,
    description: "size of one tenant's files together",
  },
  'workspace.maxFileBytes': {
    name: 'HOURGLASS_MAX_FILE_BYTES',
    unit: 'bytes',
    parser: read.whole({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    default: 1 * GiB,
    description: 'size of one file, in and out',
  },
  stateDir: {
    name: 'HOURGLASS_STATE_DIR',
    parser: read.path,
    default: ({ places }) => places.state,
    description: "folder of what the host must remember (leases, the host's id) and of server logs",
  },
  cacheDir: {
    name: 'HOURGLASS_CACHE_DIR',
    parser: read.path,
    default: ({ places }) => places.cache,
    description: 'folder where set-up keeps what is costly to fetch or build',
  },
  leaseMs: {
    name: 'HOURGLASS_LEASE_MS',
    unit: 'ms',
    parser: read.whole({ min: 10_000, max: DAY_MS }),
    default: 120_000,
    description: 'a sandbox whose worker is silent for longer ends itself',
  },
  shutdownGraceMs: {
    name: 'HOURGLASS_SHUTDOWN_GRACE_MS',
    unit: 'ms',
    parser: read.whole({ min: 0, max: DAY_MS }),
    default: 30_000,
    description: 'how long running programs may go on after SIGTERM',
  },
  heartbeatIntervalMs: {
    name: 'HOURGLASS_HEARTBEAT_INTERVAL_MS',
    unit: 'ms',
    parser: read.whole({ min: 100, max: 1_500, because: 'a cancel is heard at the next heartbeat' }),
    default: 500,
    description: 'time between two heartbeats of an execution',
  },
  sessionTtlMs: {
    name: 'CODE_SESSION_TTL_MS',
    unit: 'ms',
    parser: read.whole({ min: 1_000, max: 7 * DAY_MS }),
    default: 600_000,
    description: 'a session that is idle for longer ends',
  },
  'log.level': {
    name: 'HOURGLASS_LOG_LEVEL',
    parser: read.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    description: 'least level that is logged',
  },
  'log.format': {
    name: 'HOURGLASS_LOG_FORMAT',
    parser: read.choice(['json', 'pretty']),
    default: ({ terminal }) => (terminal ? 'pretty' : 'json'),
    description: 'form of the log; default: pretty on a terminal, json elsewhere',
  },
};
