import { answers, freePort } from '../../src/cli/temporal/ports';
import { buildCli, CliProcess } from '../support/cli';
import { eventually } from '../support/eventually';
import { WorkerPlace } from '../support/test-worker';

let place: WorkerPlace;

beforeAll(() => {
  buildCli();
  place = new WorkerPlace('127.0.0.1:1');
});

afterAll(() => place.remove());

interface Facts {
  readonly address: string;
  readonly uiUrl: string;
  readonly startedServer: boolean;
}

async function startDev(): Promise<{ dev: CliProcess; facts: Facts }> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...place.settings, TEMPORAL_ADDRESS: undefined };
  // Where a server runs on the usual port already, dev uses it and starts none: a namespace of its own keeps it apart.
  const own = { TEMPORAL_NAMESPACE: `test-${await freePort()}` };
  const dev = new CliProcess(['dev', '--json'], { env: { ...env, ...own }, cwd: place.dir });
  await dev.printed('"address"');
  return { dev, facts: JSON.parse(dev.stdout) as Facts };
}

test('dev starts a server with its UI and a worker, whose parts warn of nothing; Ctrl-C stops both', async () => {
  const { dev, facts } = await startDev();
  expect(facts.startedServer).toBe(true);
  expect((await fetch(facts.uiUrl)).ok).toBe(true);
  dev.kill('SIGINT');
  const { exitCode, stderr } = await dev.ended;
  expect(exitCode).toBe(0);
  expect(stderr).not.toMatch(/"level":"(warn|error)".*"source":"temporal"/);
  expect(await answers(facts.address)).toBe(false);
  expect(await place.containers()).toEqual([]);
});

test('of two started at once for a server that nobody has, each works, and none shows a stack', async () => {
  const namespace = `test-${await freePort()}`;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...place.settings, TEMPORAL_ADDRESS: undefined };
  const devs = [1, 2].map(
    () => new CliProcess(['dev', '--json'], { env: { ...env, TEMPORAL_NAMESPACE: namespace }, cwd: place.dir }),
  );
  await Promise.all(devs.map((dev) => dev.printed('"address"')));
  for (const dev of devs) dev.kill('SIGINT');
  const ends = await Promise.all(devs.map((dev) => dev.ended));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(ends.map(({ stderr }) => stderr).join()).not.toContain('address already in use');
});

test('the server does not outlive a dev that is killed', async () => {
  const { dev, facts } = await startDev();
  dev.kill('SIGKILL');
  await dev.ended;
  await eventually(
    () => answers(facts.address),
    (answer) => !answer,
  );
});
