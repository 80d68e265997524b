import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContainerEngine } from '../../src/engine/container';
import { loadConfig } from '../../src/config';
import { SILENT } from '../../src/telemetry/log';
import { buildCli, CliProcess, type CommandEnd } from '../support/cli';
import { MeddlingEngine } from '../support/meddling-engine';
import { startTemporal, type TestServer } from '../support/temporal';

interface Check {
  readonly name: string;
  readonly status: 'pass' | 'warning' | 'failure' | 'skipped';
  readonly detail: string;
  readonly remedy: string | null;
}

interface Report {
  readonly checks: readonly Check[];
  readonly ok: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
let server: TestServer;

beforeAll(async () => {
  buildCli();
  server = await startTemporal();
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(env: Readonly<Record<string, string>>, ...argv: string[]): CliProcess {
  const { PATH, HOME, DOCKER_HOST, CODE_SANDBOX_IMAGE } = process.env;
  const places = { HOURGLASS_WORKSPACE_DIR: join(folder, 'workspace'), HOURGLASS_STATE_DIR: join(folder, 'state') };
  return new CliProcess(argv, {
    env: { PATH, HOME, DOCKER_HOST, CODE_SANDBOX_IMAGE, ...places, ...env },
    cwd: folder,
  });
}

async function examine(env: Readonly<Record<string, string>>): Promise<{ end: CommandEnd; report: Report }> {
  const end = await start(env, 'doctor', '--json').ended;
  return { end, report: JSON.parse(end.stdout) as Report };
}

const named = (report: Report, status: Check['status']): string[] =>
  report.checks.filter((check) => check.status === status).map(({ name }) => name);

const temporalOf = (report: Report): Check | undefined => report.checks.find(({ name }) => name === 'temporal');

/** Names of the containers that a doctor has made, whoever ran it. */
async function probes(): Promise<string[]> {
  const engine = createContainerEngine(loadConfig(), SILENT);
  const listed = await engine.listContainers();
  await engine.close();
  return listed.filter(({ origin }) => origin?.hostId.startsWith('doctor-')).map(({ name }) => name);
}

afterEach(async () => expect(await probes()).toEqual([]));

test('R08: this host passes; each check says what it found, and what is not a pass says what to do', async () => {
  const { end, report } = await examine({});
  expect(named(report, 'failure')).toEqual([]);
  expect({ ok: report.ok, exitCode: end.exitCode }).toEqual({ ok: true, exitCode: 0 });
  for (const { detail, remedy, status } of report.checks) {
    expect(detail).not.toBe('');
    expect(remedy === null).toBe(status === 'pass');
  }
  const limits = ['memory', 'disk', 'inodes', 'pids', 'cpu', 'output', 'kill'];
  const inside = ['privileges', 'seccomp', 'read-only-root', 'network', 'cgroup', 'time-to-kill'];
  expect(named(report, 'pass')).toEqual(
    expect.arrayContaining(['image', 'sandbox', ...inside, ...limits, 'workspace']),
  );
});

test('an engine that is not there fails with the remedy; what needs it is skipped, the rest is checked', async () => {
  const { end, report } = await examine({ DOCKER_HOST: 'unix:///nowhere/docker.sock' });
  expect(end.exitCode).toBe(1);
  expect(named(report, 'failure')).toEqual(['engine']);
  expect(report.checks[0]?.detail).toContain('unix:///nowhere/docker.sock');
  expect(named(report, 'skipped')).toEqual(expect.arrayContaining(['runtime', 'image', 'sandbox', 'memory', 'kill']));
  expect(named(report, 'pass')).toEqual(expect.arrayContaining(['node', 'workspace', 'state']));
});

test('an image, a workspace and a server that are not there fail, each by its name', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { end, report } = await examine({
    CODE_SANDBOX_IMAGE: 'hourglass/no-such-image:0',
    HOURGLASS_WORKSPACE_DIR: file,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    HOURGLASS_RUNTIME: 'no-such-runtime',
  });
  expect(end.exitCode).toBe(1);
  expect(named(report, 'failure')).toEqual(['runtime', 'image', 'workspace', 'temporal']);
  expect(named(report, 'skipped')).toEqual(expect.arrayContaining(['sandbox', 'seccomp', 'memory']));
});

test('a server that answers passes; without the namespace that is asked for it is the one failure', async () => {
  const there = await examine({ TEMPORAL_ADDRESS: server.address });
  expect(temporalOf(there.report)).toMatchObject({
    status: 'pass',
    detail: expect.stringMatching(`^Temporal \\d+\\.\\S+ at ${server.address}, namespace "default"$`) as string,
    remedy: null,
  });
  expect(there.end.exitCode).toBe(0);
  const unknown = await examine({ TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'no-such' });
  expect(named(unknown.report, 'failure')).toEqual(['temporal']);
  expect(temporalOf(unknown.report)).toMatchObject({
    detail: expect.stringContaining(`namespace "no-such" at ${server.address} cannot be used`) as string,
    remedy: expect.stringContaining('TEMPORAL_NAMESPACE') as string,
  });
  expect(unknown.end.exitCode).toBe(1);
});

/** What an engine says of itself that cannot limit memory. */
const withoutMemoryLimit = (facts: object): Record<string, unknown> => ({ ...facts, MemoryLimit: false });

test('R08: for people the report has a line a check, without colours where nobody sees them', async () => {
  const proxy = await MeddlingEngine.start({ info: withoutMemoryLimit });
  const end = await start({ DOCKER_HOST: proxy.dockerHost }, 'doctor').ended;
  await proxy.close();
  expect(end.exitCode).toBe(1);
  expect(end.stdout).toMatch(/^✘ memory-limit +failure: the engine cannot limit memory\n +→ \S/m);
  expect(end.stdout).toMatch(/^✔ memory +a program of 128 MB was killed/m);
  expect(end.stdout).toMatch(/\d+ passed, \d+ warnings, 1 failures, 0 skipped\n$/);
  expect(end.stdout).not.toContain('\u001b');
});

test('R12: Ctrl-C ends it with 130, and the probe that ran is gone', async () => {
  const doctor = start({}, 'doctor');
  await doctor.printed('sandbox ');
  doctor.kill('SIGINT');
  expect((await doctor.ended).exitCode).toBe(130);
});

test('R08: a command that runs programs refuses with 78 where a setting asks for what the host does not have', async () => {
  const requests = join(folder, 'requests.jsonl');
  writeFileSync(requests, '{"id": "a", "request": {"language": "python", "code": "1"}}\n');
  const env = { HOURGLASS_RUNTIME: 'no-such-runtime' };
  const batch = start(env, 'batch', requests, '--output', join(folder, 'results.jsonl'), '--direct', '--json');
  const { exitCode, stdout } = await batch.ended;
  expect(exitCode).toBe(78);
  expect(JSON.parse(stdout)).toMatchObject({
    failure: { code: 'CONFIG', message: expect.stringContaining('no-such-runtime') as string },
  });
});

test('R08: on a host that does not keep a promise the worker refuses with 69, by the name of the check and what to do', async () => {
  const proxy = await MeddlingEngine.start({ info: withoutMemoryLimit });
  const end = await start({ DOCKER_HOST: proxy.dockerHost, TEMPORAL_ADDRESS: server.address }, 'worker').ended;
  await proxy.close();
  expect(end).toMatchObject({ exitCode: 69, stdout: '' });
  expect(end.stderr).toContain('hourglass: UNAVAILABLE: This host does not keep what a worker promises');
  expect(end.stderr).toMatch(/^ {2}memory-limit: the engine cannot limit memory; \S/m);
  expect(end.stderr).not.toMatch(/^ +at |Worker started/m);
});
