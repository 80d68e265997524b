import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { HourglassClient } from '../../client';
import { FAILURES, HourglassError, type ExecutionRequest, type ExecutionResult } from '../../contract';
import { executeRequest } from '../../execution/execute-request';
import { ExecutionProgress } from '../../execution/progress';
import type { WorkerHost } from '../../worker-host';

/** Runs one request to its end. Rejects with HourglassError for a failure of that request alone. */
export type RunRequest = (request: ExecutionRequest, signal: AbortSignal) => Promise<ExecutionResult>;

/** As many as the workflow's activity has. */
const ATTEMPTS = 3;
const RETRY_MS = 1_000;

/** Runs requests through a Temporal server. */
export function throughTemporal(client: HourglassClient): RunRequest {
  return (request, signal) => client.run(request, { signal });
}

/** Runs requests on this machine's engine alone; failures of the platform are tried again, as Temporal would. */
export function throughEngine(host: WorkerHost): RunRequest {
  return async (request, signal) => {
    const origin = randomUUID();
    const whole = { ...request, executionId: request.executionId ?? randomUUID() };
    for (let number = 1; ; number += 1) {
      const progress = new ExecutionProgress(host.owner.hostId, whole.executionId, 0);
      try {
        return await executeRequest(whole, host, { signal, progress, origin, number, log: host.log });
      } catch (error) {
        const waitMs = retryDelay(error);
        if (signal.aborted || waitMs === undefined || number >= ATTEMPTS) throw asFailure(error, signal);
        await delay(waitMs, undefined, { signal });
      }
    }
  };
}

/** A defect of ours concerns one request, too: the others go on. */
function asFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof HourglassError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new HourglassError('INTERNAL_ERROR', message, {}, { cause: error });
}

function retryDelay(error: unknown): number | undefined {
  if (!(error instanceof HourglassError) || !error.retryable) return undefined;
  const definition = FAILURES[error.code];
  return 'nextRetryDelayMs' in definition ? definition.nextRetryDelayMs : RETRY_MS;
}
