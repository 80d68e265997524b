import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { Client, Connection, type WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { freePort } from '../../src/cli/temporal/ports';
import { buildCli, CliProcess } from '../support/cli';
import { eventually } from '../support/eventually';
import { startTemporal, type TestServer } from '../support/temporal';
import { WorkerPlace } from '../support/test-worker';

let temporal: TestServer;
let place: WorkerPlace;
let holder: Server;
let taken: string;

beforeAll(async () => {
  buildCli();
  temporal = await startTemporal();
  place = new WorkerPlace(temporal.address);
  holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  taken = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
});

afterAll(async () => {
  holder.close();
  await temporal.stop();
  place.remove();
});

const hourglass = (argv: readonly string[], settings: NodeJS.ProcessEnv, stdin?: string): CliProcess =>
  new CliProcess(argv, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...place.settings, ...settings },
    cwd: place.dir,
    ...(stdin === undefined ? {} : { stdin }),
  });

test.each(['HOURGLASS_METRICS_ADDRESS', 'HOURGLASS_HEALTH_ADDRESS'])(
  'a worker whose %s is taken says so by that name, without a stack, and exits with 78',
  async (name) => {
    const { exitCode, stderr } = await hourglass(['worker'], { [name]: taken }).ended;
    expect(stderr).toContain(`${name}="${taken}": cannot be listened at: something listens there already`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(exitCode).toBe(78);
    expect(await place.containers()).toEqual([]);
  },
);

test('a worker offers its metrics and answers probes at the addresses it is given', async () => {
  const [metrics, health] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const worker = hourglass(['worker', '--json'], {
    HOURGLASS_METRICS_ADDRESS: metrics,
    HOURGLASS_HEALTH_ADDRESS: health,
  });
  await worker.printed('"taskQueue"');
  await eventually(
    async () => (await fetch(`http://${health}/readyz`)).status,
    (status) => status === 200,
  );
  expect(await (await fetch(`http://${metrics}/metrics`)).text()).toContain('code_execution_count');
  worker.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ exitCode: 0 });
});

/** Starts every workflow with the trace of a caller, as Temporal's OpenTelemetry interceptors do. */
const withTrace = (traceId: string): WorkflowClientInterceptor => ({
  start: (input, next) => {
    const carrier = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    return next({
      ...input,
      headers: { ...input.headers, '_tracer-data': defaultPayloadConverter.toPayload(carrier) },
    });
  },
});

test('a worker with an OpenTelemetry SDK in its process goes on with the trace of the caller', async () => {
  const NODE_OPTIONS = `--require ${join(__dirname, '../support/print-spans.js')}`;
  const worker = hourglass(['worker', '--json'], { NODE_OPTIONS });
  await worker.printed('"taskQueue"');
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, interceptors: { workflow: [withTrace(traceId)] } });
  const { taskQueue } = place.config.temporal;
  await client.workflow.execute('executeCode', {
    workflowId: 'traced',
    taskQueue,
    args: [{ language: 'shell', code: ':' }],
  });
  await connection.close();
  worker.kill('SIGTERM');
  const { stderr, exitCode } = await worker.ended;
  expect(exitCode).toBe(0);
  const spans = stderr.split('\n').filter((line) => line.startsWith('{"span"'));
  const names = ['queue', 'start', 'load', 'run', 'save', 'execute'].map((part) => `hourglass.${part}`);
  expect(spans.map((line) => JSON.parse(line) as unknown)).toEqual(names.map((span) => ({ span, traceId })));
});

test('a single run leaves the addresses to the worker that lasts', async () => {
  const settings = { HOURGLASS_METRICS_ADDRESS: taken, HOURGLASS_HEALTH_ADDRESS: taken };
  const { exitCode, stdout } = await hourglass(['run', '-', '--language', 'python', '--json'], settings, '6 * 7').ended;
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, result: 42 });
});
