import type { DockerImage, DockerInspect } from '../../../../src/engine/container/docker-client';
import { createBody } from '../../../../src/engine/container/hardening';
import { findDifferences } from '../../../../src/engine/container/verify';

const IMAGE: DockerImage = { Id: 'sha256:1', Config: { Env: ['PATH=/usr/bin'], Entrypoint: ['/guest'] } };
const BODY = createBody({
  image: 'image:1',
  spec: { runtime: 'python', preload: [], memoryMb: 256, diskMb: 128, cpuCores: 0.5, maxPids: 100 },
  runtime: 'runc',
  leaseMs: 60_000,
  labels: { 'io.hourglass.host': 'host' },
});

type Changes = Readonly<Record<string, unknown>>;

/** What an engine answers that does exactly as it was told, with the fields that it adds by itself. */
function inspect(host: Changes = {}, config: Changes = {}, rest: Changes = {}): DockerInspect {
  const { HostConfig, ...Config } = BODY;
  return {
    Id: '1',
    Image: 'sha256:1',
    State: { Running: false, ExitCode: 0, OOMKilled: false },
    Config: { ...Config, ...IMAGE.Config, Volumes: null, OnBuild: null, ...config },
    HostConfig: { ...HostConfig, Binds: null, CapAdd: null, Devices: [], PidMode: '', NanoCpus: 0, ...host },
    Mounts: [],
    ...rest,
  };
}

const fieldsOf = (facts: DockerInspect): string[] =>
  findDifferences(BODY, facts, IMAGE, new Set()).map(({ field }) => field);

test('a container that is as we asked for differs in nothing', () => {
  expect(fieldsOf(inspect())).toEqual([]);
});

test('the order of lists and of fields in the host configuration says nothing', () => {
  const { SecurityOpt, Ulimits } = BODY.HostConfig;
  const ulimits = Ulimits.map(({ Name, Soft, Hard }) => ({ Hard, Soft, Name })).reverse();
  expect(fieldsOf(inspect({ SecurityOpt: [...SecurityOpt].reverse(), Ulimits: ulimits }))).toEqual([]);
});

test.each(Object.keys(BODY.HostConfig))('R01: a change of HostConfig.%s is found', (field) => {
  for (const value of ['changed', 1234567, ['changed'], { changed: 'changed' }]) {
    expect(fieldsOf(inspect({ [field]: value }))).toEqual([`HostConfig.${field}`]);
  }
});

test.each<[string, unknown]>([
  ['Binds', ['/:/host']],
  ['CapAdd', ['SYS_ADMIN']],
  ['Cgroup', 'container:other'],
  ['CgroupParent', '/elsewhere'],
  ['DeviceCgroupRules', ['a *:* rwm']],
  ['DeviceRequests', [{ Driver: 'nvidia' }]],
  ['Devices', [{ PathOnHost: '/dev/sda' }]],
  ['ExtraHosts', ['metadata:169.254.169.254']],
  ['GroupAdd', ['0']],
  ['Links', ['other:other']],
  ['Mounts', [{ Type: 'bind', Source: '/' }]],
  ['OomKillDisable', true],
  ['PidMode', 'host'],
  ['PortBindings', { '80/tcp': [{ HostPort: '80' }] }],
  ['PublishAllPorts', true],
  ['Sysctls', { 'kernel.shm_rmid_forced': '1' }],
  ['UTSMode', 'host'],
  ['UsernsMode', 'host'],
  ['VolumesFrom', ['other']],
])('HostConfig.%s that we never asked for is found', (field, value) => {
  expect(fieldsOf(inspect({ [field]: value }))).toEqual([`HostConfig.${field}`]);
});

test.each<[string, unknown]>([
  ['Image', 'other:1'],
  ['Cmd', ['--lease-ms', '60000', '--runtime', 'python']],
  ['Entrypoint', ['/bin/sh']],
  ['User', '0:0'],
  ['Env', ['PATH=/usr/bin', 'SECRET=1']],
  ['WorkingDir', '/'],
  ['Tty', true],
  ['Healthcheck', { Test: ['CMD', '/bin/true'] }],
  ['Volumes', { '/data': {} }],
  ['ExposedPorts', { '80/tcp': {} }],
])('a change of Config.%s is found', (field, value) => {
  expect(fieldsOf(inspect({}, { [field]: value }))).toEqual([`Config.${field}`]);
});

test('R24: a missing label and a mount are found', () => {
  expect(fieldsOf(inspect({}, { Labels: {} }))).toEqual(['Config.Labels.io.hourglass.host']);
  expect(fieldsOf(inspect({}, {}, { Mounts: [{ Type: 'volume' }] }))).toEqual(['Mounts']);
});

test('labels of the image do not count', () => {
  expect(fieldsOf(inspect({}, { Labels: { ...BODY.Labels, 'org.opencontainers.image.title': 'x' } }))).toEqual([]);
});

test('a limit that the kernel cannot apply is tolerable where it is named, and only there', () => {
  const dropped = inspect({ MemorySwap: -1 });
  expect(findDifferences(BODY, dropped, IMAGE, new Set(['MemorySwap']))).toMatchObject([{ tolerable: true }]);
  expect(findDifferences(BODY, dropped, IMAGE, new Set())).toMatchObject([{ tolerable: false }]);
  const unbounded = inspect({ Memory: 0 });
  expect(findDifferences(BODY, unbounded, IMAGE, new Set(['MemorySwap']))).toMatchObject([{ tolerable: false }]);
});
