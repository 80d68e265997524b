import type * as OpenTelemetryApi from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ExecutionResult, Phase } from '../../contract';
import { failureType } from '../failure-type';
import { NO_TRACE, type AttemptTrace, type TracedAttempt, type Tracing } from './tracing';

type OpenTelemetry = typeof OpenTelemetryApi;

const TRACER = 'hourglass';
/** Where Temporal's OpenTelemetry interceptors put the caller's trace. */
const TRACE_HEADER = '_tracer-data';

/** The span that each phase belongs to; the last two are one. */
const SPAN_OF_PHASE: Readonly<Record<Phase, string>> = {
  queued: 'hourglass.queue',
  starting: 'hourglass.start',
  'staging-in': 'hourglass.load',
  running: 'hourglass.run',
  'staging-out': 'hourglass.save',
  finishing: 'hourglass.save',
};

/** Spans through this OpenTelemetry. */
export function createTracing(otel: OpenTelemetry): Tracing {
  // Goes on to the SDK's tracer as soon as there is one.
  const tracer = otel.trace.getTracer(TRACER);
  const received = new WeakMap<object, Context>();
  return {
    receive: (context, headers) => {
      const parent = parentIn(headers, otel);
      if (parent !== undefined) received.set(context, parent);
    },
    begin: (attempt) => {
      const active = otel.context.active();
      // A span that is active here is of an interceptor that stands nearer to us than the header's sender.
      const parent = otel.trace.getSpan(active) === undefined ? (received.get(attempt.context) ?? active) : active;
      const startTime = new Date(Date.now() - attempt.waitedMs);
      const span = tracer.startSpan('hourglass.execute', { startTime, attributes: originOf(attempt) }, parent);
      if (!span.isRecording()) return NO_TRACE;
      return new RecordedAttempt({ otel, tracer, span, parent, startTime }, attempt);
    },
  };
}

/** The trace that a header names; undefined where there is none, or none that can be read. */
function parentIn(headers: Headers, otel: OpenTelemetry): Context | undefined {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return undefined;
  try {
    return otel.propagation.extract(otel.context.active(), defaultPayloadConverter.fromPayload(payload));
  } catch {
    return undefined;
  }
}

/** With the names that Temporal's interceptors use. */
function originOf({ workflow, number }: TracedAttempt): Attributes {
  const origin = workflow && { temporalWorkflowId: workflow.workflowId, run_id: workflow.runId };
  return { ...origin, 'hourglass.attempt': number };
}

function resultOf({ error, metadata }: ExecutionResult): Attributes {
  const { language, sandboxId, startKind, exitCode, peakMemoryBytes, cpuTimeMs } = metadata;
  return {
    'hourglass.language': language,
    'hourglass.sandbox': sandboxId,
    'hourglass.start_kind': startKind,
    'hourglass.status': error?.code ?? 'OK',
    'hourglass.exit_code': exitCode,
    'hourglass.peak_memory_bytes': peakMemoryBytes,
    'hourglass.cpu_time_ms': cpuTimeMs,
  };
}

interface Recording {
  readonly otel: OpenTelemetry;
  readonly tracer: Tracer;
  readonly span: Span;
  readonly parent: Context;
  readonly startTime: Date;
}

class RecordedAttempt implements AttemptTrace {
  readonly #context: Context;
  #part: { readonly name: string; readonly span: Span };

  constructor(
    private readonly recording: Recording,
    private readonly attempt: TracedAttempt,
  ) {
    const { otel, span, parent, startTime } = recording;
    this.#context = otel.trace.setSpan(parent, span);
    this.#part = this.#start(SPAN_OF_PHASE.queued, startTime);
  }

  enter(phase: Phase): void {
    const name = SPAN_OF_PHASE[phase];
    if (name === this.#part.name) return;
    this.#part.span.end();
    this.#part = this.#start(name);
  }

  ended(result: ExecutionResult): void {
    this.#end(resultOf(result));
  }

  failed(error: unknown): void {
    const type = failureType(error, this.attempt.signal);
    const status = { code: this.recording.otel.SpanStatusCode.ERROR, message: type };
    this.#part.span.setStatus(status);
    this.recording.span.setStatus(status);
    this.#end({ 'hourglass.failure': type });
  }

  #start(name: string, startTime?: Date): { name: string; span: Span } {
    return { name, span: this.recording.tracer.startSpan(name, { startTime }, this.#context) };
  }

  #end(attributes: Attributes): void {
    const { executionId, hostId, bytesIn, bytesOut } = this.attempt.progress;
    this.#part.span.end();
    this.recording.span.setAttributes({
      'hourglass.execution_id': executionId,
      'hourglass.host_id': hostId,
      'hourglass.bytes_in': bytesIn,
      'hourglass.bytes_out': bytesOut,
      ...attributes,
    });
    this.recording.span.end();
  }
}
