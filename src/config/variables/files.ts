import * as read from '../parsers';
import type { VariableTable } from '../variable';

const GiB = 1_024 * 1_048_576;

/** Where files are, and how large they may be. */
export const FILES = {
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
} satisfies Partial<VariableTable>;
