import { FAILURES, HourglassError, type ExecutionResult } from '../contract';
import type { Attempt } from './host';

/** Notes the end of a program, whatever it did. */
export function logEnd({ error, metadata }: ExecutionResult, { log }: Attempt): void {
  const { executionId, sandboxId, exitCode, executionTimeMs, language, startKind } = metadata;
  const fields = { executionId, containerName: sandboxId, exitCode, duration: executionTimeMs, language, startKind };
  log.debug({ ...fields, outcome: error?.code ?? 'OK' }, 'Container execution completed');
}

/** Notes that an execution ended without a result: loudly where the platform is at fault, and as what it is when cancelled. */
export function logFailure(error: unknown, { log, signal, progress }: Attempt): void {
  const { executionId, sandboxId, phase } = progress.details();
  const fields = { executionId, containerName: sandboxId, phase };
  if (signal.aborted) {
    log.info(
      { ...fields, reason: signal.reason instanceof Error ? signal.reason.message : 'unknown' },
      'Code execution cancelled',
    );
    return;
  }
  const ours = error instanceof HourglassError;
  log[levelOf(error)]({ ...fields, ...(ours ? { code: error.code } : {}), error }, 'Code execution failed');
}

/** Behind a long queue many wait. */
function levelOf(error: unknown): 'debug' | 'warn' | 'error' {
  if (!(error instanceof HourglassError)) return 'error';
  if (error.isWait) return 'debug';
  return FAILURES[error.code].fault === 'platform' ? 'error' : 'warn';
}
