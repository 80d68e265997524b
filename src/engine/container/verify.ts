import { isDeepStrictEqual } from 'node:util';
import type { CreateBody, HostConfig } from './create-body';
import type { DockerImage, DockerInspect } from './docker-client';

/** A field in which a container differs from what we asked for. */
export interface Difference {
  /** Path in the engine's answer, such as `HostConfig.Memory`. */
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** True where the engine's host lacks the means, nothing else is wrong, and the sandbox still holds its promise. */
  readonly tolerable: boolean;
}

/** Host fields that we never set: each widens a sandbox, so each has to come back empty. */
const EMPTY_HOST_FIELDS = [
  'Binds',
  'BlkioWeightDevice',
  'CapAdd',
  'Cgroup',
  'CgroupParent',
  'CpuRealtimePeriod',
  'CpuRealtimeRuntime',
  'DeviceCgroupRules',
  'DeviceRequests',
  'Devices',
  'DnsOptions',
  'ExtraHosts',
  'GroupAdd',
  'Links',
  'Mounts',
  'OomKillDisable',
  'PidMode',
  'PortBindings',
  'PublishAllPorts',
  'StorageOpt',
  'Sysctls',
  'UTSMode',
  'UsernsMode',
  'VolumeDriver',
  'VolumesFrom',
] as const;

/** Fields of the container itself that come back as we sent them. */
const SAME_FIELDS = [
  'Image',
  'Cmd',
  'User',
  'WorkingDir',
  'Hostname',
  'NetworkDisabled',
  'AttachStdin',
  'OpenStdin',
  'StdinOnce',
  'Tty',
  'StopSignal',
  'Healthcheck',
] as const satisfies readonly (keyof CreateBody)[];

/**
 * Compares a created container with what we asked for; empty when it is exactly that.
 *
 * @param tolerated limits that the engine's kernel cannot apply, so that the engine drops them.
 */
export function findDifferences(
  body: CreateBody,
  inspect: DockerInspect,
  image: DockerImage,
  tolerated: ReadonlySet<keyof HostConfig>,
): Difference[] {
  return [
    ...differencesOfHost(body.HostConfig, inspect.HostConfig, tolerated),
    ...differencesOfContainer(body, inspect, image),
    ...emptyOrDifferent('Mounts', inspect.Mounts),
  ];
}

function differencesOfHost(
  expected: HostConfig,
  actual: Readonly<Record<string, unknown>>,
  tolerated: ReadonlySet<keyof HostConfig>,
): Difference[] {
  const fields = Object.keys(expected) as (keyof HostConfig)[];
  return [
    ...fields
      .filter((field) => field !== 'Runtime' || expected.Runtime !== undefined)
      .filter((field) => !isSame(expected[field], actual[field], 'any order'))
      .map((field) => ({
        field: `HostConfig.${field}`,
        expected: expected[field],
        actual: actual[field],
        tolerable: tolerated.has(field),
      })),
    ...EMPTY_HOST_FIELDS.flatMap((field) => emptyOrDifferent(`HostConfig.${field}`, actual[field])),
  ];
}

function differencesOfContainer(body: CreateBody, { Config: actual }: DockerInspect, image: DockerImage): Difference[] {
  const inherited = { Env: image.Config.Env ?? [], Entrypoint: image.Config.Entrypoint ?? [] };
  const expected: Record<string, unknown> = { ...inherited };
  for (const field of SAME_FIELDS) expected[field] = body[field];
  const differences = Object.entries(expected)
    .filter(([field, value]) => !isSame(value, actual[field]))
    .map(([field, value]) => difference(`Config.${field}`, value, actual[field]));
  const labels = (actual['Labels'] ?? {}) as Record<string, unknown>;
  const wrongLabels = Object.entries(body.Labels).filter(([name, value]) => labels[name] !== value);
  return [
    ...differences,
    ...wrongLabels.map(([name, value]) => difference(`Config.Labels.${name}`, value, labels[name])),
    ...emptyOrDifferent('Config.Volumes', actual['Volumes']),
    ...emptyOrDifferent('Config.ExposedPorts', actual['ExposedPorts']),
  ];
}

function emptyOrDifferent(field: string, actual: unknown): Difference[] {
  return isEmpty(actual) ? [] : [difference(field, undefined, actual)];
}

function difference(field: string, expected: unknown, actual: unknown): Difference {
  return { field, expected, actual, tolerable: false };
}

/** Engines differ in how they write "none": null, absent, false, 0, "", [] and {} all say it. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Equal values. Engines sort some lists of the host configuration, where order says nothing. */
function isSame(expected: unknown, actual: unknown, lists: 'same order' | 'any order' = 'same order'): boolean {
  if (isEmpty(expected)) return isEmpty(actual);
  if (lists === 'any order' && Array.isArray(expected) && Array.isArray(actual)) {
    return isDeepStrictEqual(expected.map(canonical).sort(), actual.map(canonical).sort());
  }
  return canonical(expected) === canonical(actual);
}

/** One text for one meaning: the order of an object's fields says nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}
