import { context, propagation, trace, SpanStatusCode, type SpanContext } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { Client } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry';
import type { ExecutionRequest } from '../../src/contract';
import { DurableSetup, sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
import type { TestWorker } from '../support/test-worker';

/** Words that only a caller knows: no span may hold one of them. */
const SECRETS = ['acme-workspace', 'ada-lovelace', 'attack-at-dawn', 'secret-input', 'secret.txt', 'secret-variable'];
const PARTS = ['queue', 'start', 'load', 'run', 'save'].map((part) => `hourglass.${part}`);

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let setup: DurableSetup;
let worker: TestWorker;
let traced: Client;

beforeAll(async () => {
  provider.register();
  setup = await DurableSetup.open();
  worker = await setup.worker();
  const interceptors = { workflow: [new OpenTelemetryWorkflowClientInterceptor()] };
  traced = new Client({ connection: setup.connection, interceptors });
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
  await provider.shutdown();
  for (const api of [trace, context, propagation]) api.disable();
});

beforeEach(() => exporter.reset());

const spans = (): ReturnType<InMemorySpanExporter['getFinishedSpans']> => exporter.getFinishedSpans();
const named = (name: string): ReturnType<typeof spans>[number] | undefined =>
  spans().find((span) => span.name === name);
const parts = (): string[] => spans().flatMap(({ name }) => (PARTS.includes(name) ? [name] : []));

let count = 0;
const start = (request: ExecutionRequest, client = traced): ReturnType<Client['workflow']['start']> =>
  client.workflow.start('executeCode', {
    workflowId: `traced-${process.pid}-${(count += 1)}`,
    taskQueue: setup.place.config.temporal.taskQueue,
    args: [request],
  });

test('an execution is one span with one for each part of its way, in their order', async () => {
  const handle = await start({ language: 'python', code: '6 * 7' }, setup.client);
  await handle.result();
  expect(spans().map(({ name }) => name)).toEqual([...PARTS, 'hourglass.execute']);
  const root = named('hourglass.execute');
  expect(root?.parentSpanId).toBeUndefined();
  expect(root?.attributes).toMatchObject({
    temporalWorkflowId: handle.workflowId,
    'hourglass.attempt': 1,
    'hourglass.language': 'python',
    'hourglass.start_kind': 'cold',
    'hourglass.status': 'OK',
    'hourglass.exit_code': 0,
    'hourglass.cpu_time_ms': expect.any(Number),
  });
  const { spanId } = root?.spanContext() as SpanContext;
  expect(spans().flatMap(({ name, parentSpanId }) => (PARTS.includes(name) ? [parentSpanId] : []))).toEqual(
    PARTS.map(() => spanId),
  );
});

test('a trace that the caller sent with the workflow goes on in the activity', async () => {
  const handle = await start({ language: 'shell', code: 'exit 3' });
  await handle.result();
  const root = named('hourglass.execute');
  const caller = named('StartWorkflow:executeCode');
  expect(root?.parentSpanId).toBe(caller?.spanContext().spanId);
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
});

test('a program that fails is a status, an attempt that fails is an error with its type alone', async () => {
  await (await start({ language: 'python', code: 'raise ValueError("attack-at-dawn")' })).result();
  expect(named('hourglass.execute')).toMatchObject({
    attributes: { 'hourglass.status': 'RUNTIME_ERROR' },
    status: { code: SpanStatusCode.UNSET },
  });
  exporter.reset();
  const refused = await start({ language: 'python', code: '1', resourceLimits: { memoryMb: 10 ** 5 } });
  await expect(refused.result()).rejects.toThrow('Workflow execution failed');
  expect(parts()).toEqual(['hourglass.queue']);
  const status = { code: SpanStatusCode.ERROR, message: 'POLICY_DENIED' };
  expect(named('hourglass.queue')?.status).toEqual(status);
  expect(named('hourglass.execute')).toMatchObject({ status, attributes: { 'hourglass.failure': 'POLICY_DENIED' } });
});

test('a cancelled run ends its span with what ended it', async () => {
  const handle = await start({ language: 'python', code: sleeper('up'), timeout: 240_000 });
  await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  await handle.cancel();
  await eventually(
    async () => named('hourglass.execute'),
    (span) => span !== undefined,
  );
  expect(parts()).toEqual(PARTS.slice(0, 4));
  for (const name of ['hourglass.run', 'hourglass.execute'])
    expect(named(name)?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'CANCELLED' });
});

test('a call of a session is a span with the parts that it has; what opens and ends the session is none', async () => {
  const session = setup.hourglass.session({ sessionId: 'traced', language: 'shell' });
  await session.run('exit 3');
  await session.close();
  const [root, ...others] = spans().filter(({ name }) => name === 'hourglass.execute');
  expect(others).toEqual([]);
  expect(root?.attributes).toMatchObject({ temporalWorkflowId: session.workflowId, 'hourglass.exit_code': 3 });
  expect(parts()).toContain('hourglass.run');
});

test('a call of a session that fails is an error with its type alone', async () => {
  await using session = setup.hourglass.session({ sessionId: 'traced', language: 'shell' });
  await session.run(':');
  exporter.reset();
  const asked = session.run({ code: ':', resourceLimits: { memoryMb: 64 } });
  await expect(asked).rejects.toMatchObject({ code: 'SESSION_MISMATCH' });
  expect(named('hourglass.execute')?.attributes).toMatchObject({ 'hourglass.failure': 'SESSION_MISMATCH' });
});

test('a trace that is not recorded has no spans of ours', async () => {
  const unsampled = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 0 };
  const handle = await context.with(trace.setSpanContext(context.active(), unsampled), () =>
    start({ language: 'shell', code: ':' }),
  );
  await handle.result();
  expect(spans()).toEqual([]);
});

test('nothing of a program, its files or its tenant is in a span', async () => {
  setup.place.write('secret.txt', 'secret-input');
  const tenant = { workspaceId: 'acme-workspace', userId: 'ada-lovelace' };
  const code = 'print("attack-at-dawn")\nopen("out-secret.txt", "w").write("x")\nraise ValueError("attack-at-dawn")';
  const inputData = { 'secret-variable': 'secret-input' };
  const outputFiles = [{ sandboxPath: 'out-secret.txt' }];
  await (await start({ ...tenant, language: 'python', code, inputData, outputFiles })).result();
  const inputFiles = [{ path: 'missing-secret.txt' }];
  await expect((await start({ language: 'python', code, inputFiles })).result()).rejects.toThrow();
  const seen = spans()
    .filter(({ name }) => name.startsWith('hourglass.'))
    .map(({ name, attributes, status, events, links, resource }) => ({
      name,
      attributes,
      status,
      events,
      links,
      resource,
    }));
  expect(seen.filter(({ name }) => name === 'hourglass.execute')).toHaveLength(2);
  for (const secret of SECRETS) expect(JSON.stringify(seen)).not.toContain(secret);
});
