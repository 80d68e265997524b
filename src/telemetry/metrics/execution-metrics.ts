import {
  FAILURES,
  HourglassError,
  LANGUAGES,
  LIMITS,
  PROGRAM_ERROR_CODES,
  type ExecutionResult,
  type FailureCode,
  type LimitName,
} from '../../contract';
import { failureType } from '../failure-type';
import type { Instruments } from './instruments';

/** What metrics want to know of an attempt. */
export interface MeasuredAttempt {
  readonly signal: AbortSignal;
  readonly progress: { readonly queuedMs: number; readonly bytesIn: number; readonly bytesOut: number };
}

/** Counts executions. Called once for each attempt, at its end. */
export interface ExecutionMetrics {
  /** The program ran to whatever end. */
  ended(result: ExecutionResult, attempt: MeasuredAttempt): void;
  /** The attempt ended without a result. */
  failed(error: unknown, attempt: MeasuredAttempt): void;
}

/** Measures nothing: where no metrics are asked for. */
export const NO_METRICS: ExecutionMetrics = { ended: () => undefined, failed: () => undefined };

const START_KINDS = ['warm', 'cold', 'reused'] as const;

/** Begins every series at 0: what appears with its first event has no rate yet, and no alert sees that event. */
function begin({ executions, starts, failures, blocks }: Instruments): void {
  for (const language of LANGUAGES) {
    for (const status of ['OK', ...PROGRAM_ERROR_CODES] as const) executions(0, { language, status });
    for (const start_kind of START_KINDS) starts(0, { language, start_kind });
  }
  for (const type of [...(Object.keys(FAILURES) as FailureCode[]), 'CANCELLED'] as const) failures(0, { type });
  for (const pattern of [...(Object.keys(LIMITS) as LimitName[]), 'feature'] as const) blocks(0, { pattern });
}

/** Metrics of executions into these instruments. */
export function createExecutionMetrics(instruments: Instruments): ExecutionMetrics {
  begin(instruments);
  const measure = ({ progress }: MeasuredAttempt): void => {
    instruments.queueWait(progress.queuedMs, {});
    instruments.bytesIn(progress.bytesIn, {});
    instruments.bytesOut(progress.bytesOut, {});
  };
  return {
    ended({ error, metadata }, attempt) {
      measure(attempt);
      const { language, startKind: start_kind, executionTimeMs, peakMemoryBytes, cpuTimeMs } = metadata;
      instruments.executions(1, { language, status: error?.code ?? 'OK' });
      instruments.starts(1, { language, start_kind });
      instruments.duration(executionTimeMs, { language });
      if (peakMemoryBytes !== undefined) instruments.peakMemory(peakMemoryBytes, { language });
      if (cpuTimeMs !== undefined) instruments.cpu(cpuTimeMs / 1_000, { language });
    },
    failed(error, attempt) {
      measure(attempt);
      instruments.failures(1, { type: failureType(error, attempt.signal) });
      const isBlocked = error instanceof HourglassError && error.code === 'POLICY_DENIED' && !attempt.signal.aborted;
      if (isBlocked) instruments.blocks(1, { pattern: error.details.limit ?? 'feature' });
    },
  };
}
