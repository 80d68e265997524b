import { context, propagation, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { defaultPayloadConverter } from '@temporalio/common';
import { SILENT } from '../../../src/telemetry/log';
import { openTracing } from '../../../src/telemetry/tracing';
import { NO_TRACE, type TracedAttempt } from '../../../src/telemetry/tracing/tracing';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

afterEach(() => {
  for (const api of [trace, context, propagation]) api.disable();
  exporter.reset();
});

const attempt = (of: Partial<TracedAttempt> = {}): TracedAttempt => ({
  context: {},
  progress: { executionId: 'id', hostId: 'host', bytesIn: 1, bytesOut: 2 },
  signal: new AbortController().signal,
  number: 1,
  waitedMs: 0,
  workflow: undefined,
  ...of,
});

test('where no SDK records, an attempt costs no more than a question', async () => {
  const tracing = await openTracing(SILENT);
  expect(tracing.begin(attempt())).toBe(NO_TRACE);
});

test('an SDK that registers after the worker has started records what comes then', async () => {
  const tracing = await openTracing(SILENT);
  provider.register();
  tracing.begin(attempt()).failed(new Error('no'));
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['hourglass.queue', 'hourglass.execute']);
});

test('the wait for a worker before the attempt belongs to its first part', async () => {
  provider.register();
  const before = Date.now();
  const recorded = (await openTracing(SILENT)).begin(attempt({ waitedMs: 60_000 }));
  recorded.enter('starting');
  const [queue] = exporter.getFinishedSpans();
  expect(queue?.name).toBe('hourglass.queue');
  const [seconds = 0] = queue?.startTime ?? [];
  expect(seconds).toBeLessThanOrEqual(before / 1_000 - 59);
  expect(queue?.duration[0]).toBeGreaterThanOrEqual(60);
});

test('collecting and finishing are one part', async () => {
  provider.register();
  const recorded = (await openTracing(SILENT)).begin(attempt());
  for (const phase of ['starting', 'staging-in', 'running', 'staging-out', 'finishing'] as const) recorded.enter(phase);
  recorded.failed(new Error('no'));
  const names = exporter.getFinishedSpans().map(({ name }) => name.replace('hourglass.', ''));
  expect(names).toEqual(['queue', 'start', 'load', 'run', 'save', 'execute']);
});

test.each([
  ['none', {}, false],
  ['one of the caller', { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` }, true],
  ['one that is no trace', { traceparent: 'x'.repeat(10_000) }, false],
  ['text', 'traceparent', false],
  ['null', null, false],
])('a header that holds %s never fails an attempt', async (_, carrier, isParent) => {
  provider.register();
  const tracing = await openTracing(SILENT);
  const of = attempt();
  tracing.receive(of.context, { '_tracer-data': defaultPayloadConverter.toPayload(carrier) });
  tracing.begin(of).failed(new Error('no'));
  const traceIds = exporter.getFinishedSpans().map((span) => span.spanContext().traceId === TRACE_ID);
  expect(traceIds).toEqual([isParent, isParent]);
});

test('bytes that are no payload in a header never fail an attempt', async () => {
  provider.register();
  const tracing = await openTracing(SILENT);
  const of = attempt();
  tracing.receive(of.context, { '_tracer-data': { metadata: {}, data: new Uint8Array([1]) } });
  tracing.receive(of.context, {});
  tracing.begin(of).failed(new Error('no'));
  expect(exporter.getFinishedSpans()).toHaveLength(2);
});

test('a span that is active already is the parent, before the header', async () => {
  provider.register();
  const tracing = await openTracing(SILENT);
  const of = attempt();
  const carrier = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };
  tracing.receive(of.context, { '_tracer-data': defaultPayloadConverter.toPayload(carrier) });
  trace.getTracer('test').startActiveSpan('outer', (outer) => {
    tracing.begin(of).failed(new Error('no'));
    outer.end();
  });
  const [queue, execute, outer] = exporter.getFinishedSpans();
  expect(execute?.parentSpanId).toBe(outer?.spanContext().spanId);
  expect(queue?.parentSpanId).toBe(execute?.spanContext().spanId);
});
