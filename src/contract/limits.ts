import { z } from 'zod';

const KiB = 1024;
const MiB = 1024 * KiB;
const HOUR_MS = 3_600_000;

/**
 * Largest default timeout, in ms. A workflow bounds the activity of a request that names no timeout by it, before any
 * worker's own default is known.
 */
export const UNSTATED_TIMEOUT_MS = HOUR_MS;

/** Longest wait for memory that an operator may allow, in ms: the activity's own timeout has room for it. */
export const LONGEST_QUEUE_MS = 1_200_000;

/** One limit a caller may ask for: what it bounds, its unit, and the numbers that apply to it. */
export interface LimitDefinition {
  readonly unit: 'ms' | 'MB' | 'cores' | 'processes' | 'bytes';
  /** Smallest value that makes sense; less is a validation error. */
  readonly min: number;
  /** Value used when the caller names none. `undefined`: derived, see the description. */
  readonly default: number | undefined;
  /** Largest value the default policy allows; the operator may move it up to `ceiling`. */
  readonly policyMax: number;
  /** Largest value the schema accepts at all. */
  readonly ceiling: number;
  readonly description: string;
}

/**
 * Limits a request may set, by their request field.
 *
 * Defaults are those of the reference's Configuration table. The ceiling of `maxOutputBytes` follows from the
 * payload bound: stdout and stderr together must leave room for a result within 256 KiB.
 */
export const LIMITS = {
  timeout: {
    unit: 'ms',
    min: 1_000,
    default: 30_000,
    policyMax: 300_000,
    ceiling: 24 * HOUR_MS,
    description: 'wall-clock time of the program, measured by the worker',
  },
  memoryMb: {
    unit: 'MB',
    min: 32,
    default: 256,
    policyMax: 4_096,
    ceiling: 1_048_576,
    description: 'memory of the program; files in the sandbox count in it',
  },
  diskMb: {
    unit: 'MB',
    min: 1,
    default: undefined,
    policyMax: 4_096,
    ceiling: 1_048_576,
    description: 'size of /sandbox; half of memoryMb by default, more than half adds to the memory of the container',
  },
  cpuCores: {
    unit: 'cores',
    min: 0.1,
    default: 0.5,
    policyMax: 4,
    ceiling: 1_024,
    description: 'processor time per second of wall-clock time',
  },
  maxPids: {
    unit: 'processes',
    min: 4,
    default: 100,
    policyMax: 1_024,
    ceiling: 32_768,
    description: 'processes and threads alive at the same time',
  },
  maxOutputBytes: {
    unit: 'bytes',
    min: 1 * KiB,
    default: 100 * KiB,
    policyMax: 100 * KiB,
    ceiling: 110 * KiB,
    description: 'stdout and stderr kept, each; the beginning and the end are kept',
  },
} as const satisfies Record<string, LimitDefinition>;

export type LimitName = keyof typeof LIMITS;

/** Bounds that are the same for every request. Not limits to ask for: what exceeds them is a validation error. */
export const BOUNDS = {
  /** Inline program text, in UTF-8 bytes; longer programs go into a workspace file (`codeFile`). */
  codeBytes: 512 * KiB,
  /** Program text read from `codeFile`. */
  codeFileBytes: 4 * MiB,
  /** `inputData` as JSON; larger data goes into a workspace file. */
  inputDataBytes: 1 * MiB,
  /** Nesting of `inputData` and of results. */
  jsonDepth: 200,
  inputNames: 1_000,
  stdinBytes: 512 * KiB,
  /** The whole request as JSON: Temporal refuses payloads above 2 MB. */
  requestBytes: 1_900_000,
  inputFiles: 1_000,
  /** Entries of `outputFiles`; a glob is one entry. */
  outputFiles: 100,
  /** Files that all entries together may save. */
  savedFiles: 500,
  /** The list of saved files as JSON, so that a result stays within one payload. */
  savedFilesBytes: 160 * KiB,
  pathBytes: 1_024,
  pathSegmentBytes: 255,
  idLength: 128,
  labelLength: 120,
  /** A result as JSON, inline or in the workspace. */
  resultBytes: 16 * MiB,
  /** Of all lists and mappings of a result together. */
  resultElements: 1_000_000,
  /** A whole ExecutionResult as JSON: below Temporal's 256 KiB warning, with room for the envelope. */
  payloadBytes: 250 * KiB,
  /** Beginning of a result that is stored by reference. */
  resultPreviewBytes: 1 * KiB,
  errorMessageBytes: 4 * KiB,
  tracebackBytes: 16 * KiB,
  heartbeatTailBytes: 2 * KiB,
  /** What a program says of itself at a time: a checkpoint of 2 KiB, or its progress, with what surrounds it. */
  noteBytes: 4 * KiB,
  /** Characters of the message that comes with progress. */
  progressLength: 200,
} as const;

/** A number with bounds, whose message names both. */
export function within({ min, ceiling, unit }: Pick<LimitDefinition, 'min' | 'ceiling' | 'unit'>): z.ZodNumber {
  const error = ({ input }: { readonly input?: unknown }): string =>
    `must be from ${min} to ${ceiling} ${unit}, and is ${String(input)}`;
  return z.number().min(min, { error }).max(ceiling, { error });
}

/** Memory that a request or a code node may ask for. */
export const memorySchema = within(LIMITS.memoryMb).int();

/** Limits beside the timeout, as a request may ask for them. */
export const resourceLimitsSchema = z.strictObject({
  memoryMb: memorySchema.optional(),
  diskMb: within(LIMITS.diskMb).int().optional(),
  cpuCores: within(LIMITS.cpuCores).optional(),
  maxPids: within(LIMITS.maxPids).int().optional(),
  maxOutputBytes: within(LIMITS.maxOutputBytes).int().optional(),
});

export type ResourceLimits = z.infer<typeof resourceLimitsSchema>;

export const timeoutSchema = within(LIMITS.timeout).int();

/** Every limit with a value: what a run is really given. */
export type ResolvedLimits = Readonly<Record<LimitName, number>>;

/** The numbers a worker applies: defaults for what a request leaves out, maxima for what it asks. */
export interface LimitPolicy {
  readonly defaults: Readonly<Record<Exclude<LimitName, 'diskMb'>, number>>;
  readonly maxima: ResolvedLimits;
}

/** A limit that a request asks for beyond what the policy grants. */
export interface LimitExcess {
  readonly limit: LimitName;
  readonly asked: number;
  readonly max: number;
}

/** The policy that applies where the operator configures nothing. */
export const DEFAULT_POLICY: LimitPolicy = {
  defaults: {
    timeout: LIMITS.timeout.default,
    memoryMb: LIMITS.memoryMb.default,
    cpuCores: LIMITS.cpuCores.default,
    maxPids: LIMITS.maxPids.default,
    maxOutputBytes: LIMITS.maxOutputBytes.default,
  },
  maxima: {
    timeout: LIMITS.timeout.policyMax,
    memoryMb: LIMITS.memoryMb.policyMax,
    diskMb: LIMITS.diskMb.policyMax,
    cpuCores: LIMITS.cpuCores.policyMax,
    maxPids: LIMITS.maxPids.policyMax,
    maxOutputBytes: LIMITS.maxOutputBytes.policyMax,
  },
};

/** Fills in what the request leaves out; half of the memory is the disk's default (design, section 5). */
export function resolveLimits(
  asked: ResourceLimits & { timeout?: number | undefined },
  policy: LimitPolicy,
): ResolvedLimits {
  const memoryMb = asked.memoryMb ?? policy.defaults.memoryMb;
  return {
    timeout: asked.timeout ?? policy.defaults.timeout,
    memoryMb,
    diskMb: asked.diskMb ?? Math.min(Math.floor(memoryMb / 2), policy.maxima.diskMb),
    cpuCores: asked.cpuCores ?? policy.defaults.cpuCores,
    maxPids: asked.maxPids ?? policy.defaults.maxPids,
    maxOutputBytes: asked.maxOutputBytes ?? policy.defaults.maxOutputBytes,
  };
}

/** Every limit that exceeds the policy; empty when all are granted. Nothing is ever clamped. */
export function findExcesses(limits: ResolvedLimits, policy: LimitPolicy): LimitExcess[] {
  const names = Object.keys(LIMITS) as LimitName[];
  return names
    .filter((name) => limits[name] > policy.maxima[name])
    .map((name) => ({ limit: name, asked: limits[name], max: policy.maxima[name] }));
}
