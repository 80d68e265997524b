import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import type { Priority } from '@temporalio/common';
import { LIMITS, LONGEST_QUEUE_MS, MAX_ATTEMPTS, NON_RETRYABLE_FAILURES, UNSTATED_TIMEOUT_MS } from '../src/contract';
import { fairnessKey } from './fairness';
import { summarise, type UncheckedRequest } from './summary';

const MINUTE_MS = 60_000;

/** Beside the program's own time: waiting for memory, then a cold start and moving files. */
const MARGIN_MS = LONGEST_QUEUE_MS + 10 * MINUTE_MS;

/** A worker that is silent for longer is dead; its execution starts again elsewhere. */
const HEARTBEAT_TIMEOUT_MS = 10_000;

function statedTimeout(request: UncheckedRequest): number {
  const { timeout } = request;
  const isTimeout = typeof timeout === 'number' && timeout > 0 && timeout <= LIMITS.timeout.ceiling;
  return isTimeout ? timeout : UNSTATED_TIMEOUT_MS;
}

/**
 * Options of the activity that runs one request. Works for requests that will be refused: the activity refuses them.
 *
 * `priority` is that of the workflow: what it does not say, the tenant's key does.
 */
export function executeCodeOptions(request: UncheckedRequest, priority: Priority = {}): ActivityOptions {
  return {
    summary: summarise(request),
    priority: { ...priority, fairnessKey: priority.fairnessKey || fairnessKey(request) },
    // No schedule-to-start or schedule-to-close timeout: waiting for a free worker is not a failure.
    startToCloseTimeout: statedTimeout(request) + MARGIN_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    // The workflow ends when the sandbox is gone, not before.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      maximumAttempts: MAX_ATTEMPTS,
      initialInterval: 1_000,
      backoffCoefficient: 2,
      maximumInterval: 30_000,
      nonRetryableErrorTypes: [...NON_RETRYABLE_FAILURES],
    },
  };
}
