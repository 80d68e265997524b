import type { Headers } from '@temporalio/common';
import type { ExecutionResult, Phase } from '../../contract';

/** What a trace says of an attempt; names and numbers only. */
export interface TracedProgress {
  readonly executionId: string;
  readonly hostId: string;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** One attempt whose spans are wanted. */
export interface TracedAttempt {
  /** The activity's `Context`: the caller's trace is known by it. */
  readonly context: object;
  readonly progress: TracedProgress;
  readonly signal: AbortSignal;
  /** Counted from 1. */
  readonly number: number;
  /** How long the attempt had waited for a worker when it arrived here, in ms. */
  readonly waitedMs: number;
  /** Undefined where the activity was started without a workflow. */
  readonly workflow: { readonly workflowId: string; readonly runId: string } | undefined;
}

/** The spans of one attempt. Nothing here throws. */
export interface AttemptTrace {
  enter(phase: Phase): void;
  /** The program ran to whatever end. */
  ended(result: ExecutionResult): void;
  /** The attempt ended without a result. */
  failed(error: unknown): void;
}

/**
 * Spans of executions: one for each attempt and, below it, one for each part of its way. They hold names, kinds, sizes and
 * times; never code, inputs, output, file names, tenants or the text of an error.
 */
export interface Tracing {
  /** Notes the trace that the caller's Temporal interceptors have sent along with this activity. */
  receive(context: object, headers: Headers): void;
  begin(attempt: TracedAttempt): AttemptTrace;
}

/** The spans of an attempt that nobody records. */
export const NO_TRACE: AttemptTrace = { enter: () => undefined, ended: () => undefined, failed: () => undefined };

/** Makes no spans: where OpenTelemetry is not installed. */
export const NO_TRACING: Tracing = { receive: () => undefined, begin: () => NO_TRACE };
