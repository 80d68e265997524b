import { existsSync } from 'node:fs';
import { startDevServer, type DevServer } from '../../src/cli/server';
import { findTemporalCli } from '../../src/cli/temporal/find-cli';
import { buildCli, CliProcess } from '../support/cli';
import { WorkerPlace } from '../support/test-worker';

let server: DevServer;
let place: WorkerPlace;

beforeAll(async () => {
  buildCli();
  server = await startDevServer({
    cliPath: await findTemporalCli(),
    logFile: 'lib/temporal-test-{port}.log',
    headless: true,
  });
  place = new WorkerPlace(server.address);
});

afterAll(async () => {
  await server?.stop();
  place?.remove();
});

test('the demo runs four languages, checks their results, and exits with 0', async () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...place.settings };
  const end = await new CliProcess(['--exit'], { env, cwd: place.dir, script: 'demo.js' }).ended;
  expect(end).toMatchObject({ exitCode: 0 });
  for (const language of ['python', 'javascript', 'typescript', 'shell']) expect(end.stdout).toContain(`✔ ${language}`);
  expect(end.stdout).toContain('All results are what the demo computed by itself.');
  const figure = /^ +(\/.*figure-1\.png)/m.exec(end.stdout)?.[1] ?? '';
  expect(existsSync(figure)).toBe(true);
  expect(await place.containers()).toEqual([]);
});
