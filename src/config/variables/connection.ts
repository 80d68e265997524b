import * as read from '../parsers';
import type { VariableTable } from '../variable';

const HOUR_MS = 3_600_000;
const nonBlank = /^\S(.*\S)?$/;

/** Where Temporal and the engine are. */
export const CONNECTION = {
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
  'engine.accepted': {
    name: 'HOURGLASS_ACCEPT',
    parser: read.choices(['cpu-limit']),
    default: [],
    description: 'promises that a worker does without where the engine cannot keep them',
  },
} satisfies Partial<VariableTable>;
