import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { HourglassClient } from '../../client';
import { FAILURES, HourglassError, type ExecutionRequest, type ExecutionResult } from '../../contract';
import { executeRequest } from '../../execution/execute-request';
import { ExecutionProgress } from '../../execution/progress';
import type { WorkerHost } from '../../worker-host';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import type { InFlight } from './in-flight';
import { hashOfLine } from './line-hash';
import type { SessionLines } from './session-lines';

/** Runs one request to its end. Rejects with HourglassError for a failure of that request alone. */
export type RunRequest = (request: ExecutionRequest, signal: AbortSignal, lineId: string) => Promise<ExecutionResult>;

/** As many as the workflow's activity has. */
const ATTEMPTS = 3;
const RETRY_MS = 1_000;

/**
 * Runs requests through a Temporal server. A line that an earlier start of the batch has left running is joined: its workflow's
 * id follows from batch, queue and line.
 */
export function throughTemporal(
  client: HourglassClient,
  batchId: string,
  inFlight: InFlight,
  sessions: SessionLines,
): RunRequest {
  return async (request, signal, lineId) => {
    const { sessionId } = request;
    if (sessionId !== undefined) return sessions.run({ ...request, sessionId }, signal, lineId);
    const workflowId = `batch-${batchId}-${hashOfLine(lineId, request)}`;
    const landed = inFlight.begin(workflowId);
    try {
      return await client.run(request, { signal, workflowId });
    } finally {
      landed();
    }
  };
}

/** Runs requests on this machine's engine alone; failures of the platform are tried again, as Temporal would. */
export function throughEngine(host: WorkerHost): RunRequest {
  return async (request, signal) => {
    const origin = randomUUID();
    const whole = { ...request, executionId: request.executionId ?? randomUUID() };
    for (let number = 1; ; number += 1) {
      const progress = new ExecutionProgress(host.owner.hostId, whole.executionId, 0);
      try {
        const turn = host.attempts.nextTurn();
        return await executeRequest(whole, host, { signal, progress, origin, number, turn, log: host.log });
      } catch (error) {
        const waitMs = retryDelay(error);
        const isLast = signal.aborted || waitMs === undefined || number >= ATTEMPTS;
        if (isLast && isOfEngine(error)) await requireEngine(host, signal);
        if (isLast) throw asFailure(error, signal);
        await delay(waitMs, undefined, { signal });
      }
    }
  };
}

const isOfEngine = (error: unknown): boolean => error instanceof HourglassError && error.code === 'ENGINE_UNAVAILABLE';

/** Rejects where the engine is gone: that concerns all lines, and those that are left are for the next start. */
async function requireEngine({ engine }: Pick<WorkerHost, 'engine'>, signal: AbortSignal): Promise<void> {
  await engine.ping(signal).catch((cause: unknown) => {
    throw new CliError('the engine does not answer any more; the same command goes on later', EXIT.UNAVAILABLE, {
      cause,
    });
  });
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
