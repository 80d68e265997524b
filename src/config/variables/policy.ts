import { LIMITS, UNSTATED_TIMEOUT_MS, type LimitName } from '../../contract';
import * as read from '../parsers';
import type { VariableTable } from '../variable';

const MiB = 1_048_576;
const toMegabytes = (bytes: number): number => Math.floor(bytes / MiB);
const toBytes = (megabytes: number): number => megabytes * MiB;
const SHARED_PAYLOAD = 'stdout and stderr, each up to this, share one payload of 256 KiB with the result';
const BEYOND_IS_STATED = 'a program that may run longer names its timeout in its request';

/** A limit's own range, as the contract states it. */
function limit(name: LimitName, because?: string): read.Parser<number> {
  const { min, ceiling, unit } = LIMITS[name];
  const range = { min, max: ceiling, ...(because === undefined ? {} : { because }) };
  return unit === 'cores' ? read.decimal(range) : read.whole(range);
}

/** What requests are given, and what they may ask for. */
export const POLICY = {
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
} satisfies Partial<VariableTable>;
