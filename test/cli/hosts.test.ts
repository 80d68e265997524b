import { join } from 'node:path';
import type { HostAnswer } from '../../src/contract';
import { loadHostId } from '../../src/leases/host-id';
import type { CliProcess } from '../support/cli';
import { CliSetup } from '../support/cli-setup';

let setup: CliSetup;
let otherState: string;
let other: CliProcess;
let here: string;
let there: string;

beforeAll(async () => {
  setup = await CliSetup.open({ MAX_CONCURRENT_EXECUTIONS: '3', HOURGLASS_MAX_SESSIONS: '4' });
  otherState = join(setup.place.dir, 'other-state');
});

afterAll(() => setup?.close());

async function listed(...argv: string[]): Promise<{ exitCode: number | null; hosts: HostAnswer[] }> {
  const { exitCode, stdout } = await setup.command(...argv, '--json');
  return { exitCode, hosts: (JSON.parse(stdout) as { hosts: HostAnswer[] }).hosts };
}

const rows = (stdout: string): string[][] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

test('without a worker there is no host, and none to drain', async () => {
  const { stdout, exitCode } = await setup.command('hosts');
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^No worker polls "test-/)]);
  expect(await listed('hosts')).toEqual({ exitCode: 0, hosts: [] });
  expect((await setup.command('drain')).exitCode).toBe(66);
  expect((await setup.command('drain', '../there')).exitCode).toBe(64);
});

test('hosts say how much room they have, each for itself', async () => {
  await setup.worker();
  other = await setup.worker({ HOURGLASS_STATE_DIR: otherState, MAX_CONCURRENT_EXECUTIONS: '2' });
  here = await loadHostId(setup.place.config.stateDir);
  there = await loadHostId(otherState);
  const { hosts } = await listed('hosts');
  const facts = { v: 1, workers: 1, sandboxes: { leased: 0, warm: 0 }, sessions: { open: 0, most: 4 } };
  expect(hosts).toHaveLength(2);
  expect(hosts).toContainEqual({
    hostId: here,
    report: expect.objectContaining({ ...facts, hostId: here, slots: { total: 3, used: 0 } }) as object,
  });
  expect(hosts).toContainEqual({
    hostId: there,
    report: expect.objectContaining({ ...facts, hostId: there, slots: { total: 2, used: 0 } }) as object,
  });
  const [heading, ...lines] = rows((await setup.command('hosts')).stdout);
  expect(heading?.slice(0, 5)).toEqual(['state', 'host', 'free', 'running', 'sessions']);
  expect(lines.map((cells) => cells.slice(0, 5))).toContainEqual(['ready', here, '3', '0 of 3', '0 of 4']);
});

test('a host is drained by its name, or where the command runs, and told to go on', async () => {
  const { exitCode, hosts } = await listed('drain', there, '--notice', '0');
  expect(exitCode).toBe(0);
  expect(hosts).toMatchObject([{ hostId: there, report: { draining: { since: expect.any(String) as string } } }]);
  expect((await listed('drain')).hosts).toMatchObject([{ hostId: here, report: { draining: {} } }]);
  const states = rows((await setup.command('hosts')).stdout).map(([state]) => state);
  expect(states).toEqual(['state', 'drained', 'drained']);
  expect((await listed('drain', '--undo')).hosts[0]?.report?.draining).toBeUndefined();
  const after = (await listed('hosts')).hosts.map(({ hostId, report }) => [hostId, report?.draining !== undefined]);
  expect(after).toEqual(
    expect.arrayContaining([
      [here, false],
      [there, true],
    ]),
  );
});

test('a host whose worker is gone is shown as such, and cannot be told anything', async () => {
  other.kill('SIGKILL');
  await other.ended;
  const { hosts } = await listed('hosts');
  expect(hosts).toContainEqual({ hostId: there, failure: 'no answer' });
  expect(hosts).toContainEqual({ hostId: here, report: expect.objectContaining({ hostId: here }) as object });
  expect(rows((await setup.command('hosts')).stdout).map((cells) => cells.slice(0, 2))).toContainEqual([
    'no answer',
    there,
  ]);
  const { exitCode, stderr } = await setup.command('drain', there);
  expect(exitCode).toBe(75);
  expect(stderr).toContain('it was told nothing');
});
