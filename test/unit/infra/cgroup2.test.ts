import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canVirtualise } from '../../../infra/cgroup2/machine.js';
import { whyNot } from '../../../infra/cgroup2/tools.js';

const PLACE = { platform: 'linux', architecture: 'x64', isRoot: true, isDebian: true, missing: ['qemu-system-x86'] };

test('root on Debian installs what makes a virtual machine', () => {
  expect(whyNot(PLACE)).toBeUndefined();
});

test('elsewhere, too, it is made where nothing is missing', () => {
  expect(whyNot({ ...PLACE, isDebian: false, missing: [] })).toBeUndefined();
});

test.each([
  ['another system is told how to use an engine of its own', { platform: 'darwin' }, 'DOCKER_HOST=... npm run'],
  ['another processor is named', { architecture: 'arm64' }, 'this is linux on arm64'],
  ['a user who is not root is told what to type', { isRoot: false }, 'sudo npm run test:cgroup2'],
  ['another distribution is told what to install', { isDebian: false }, 'named as Debian does: qemu-system-x86'],
])('%s', (_, difference, remedy) => {
  expect(whyNot({ ...PLACE, ...difference })).toContain(remedy);
});

describe('a machine is virtualised', () => {
  let folder: string;
  const place = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hourglass-cgroup2-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test.each([
    ['with', 'flags\t\t: fpu vmx sse', true],
    ['with', 'flags\t\t: fpu svm', true],
    ['not with', 'flags\t\t: fpu sse\nmodel name\t: vmx', false],
  ])('%s a processor that has %j', (_, cpuinfo, expected) => {
    expect(canVirtualise(place('cpuinfo', cpuinfo), place('kvm', ''))).toBe(expected);
  });

  test('only where this process may ask for it', () => {
    expect(canVirtualise(place('cpuinfo', 'flags\t\t: vmx'), join(folder, 'kvm'))).toBe(false);
  });
});
