import { WorkflowFailedError } from '@temporalio/client';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { ExecutionCancelled, toExecutionError } from '../../../src/client-errors';
import { HourglassError } from '../../../src/contract';

const failed = (cause: Error): WorkflowFailedError =>
  new WorkflowFailedError('Workflow execution failed', cause, RetryState.NON_RETRYABLE_FAILURE);
const byActivity = (cause: Error): WorkflowFailedError =>
  failed(
    new ActivityFailure('Activity task failed', 'executeCode', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause),
  );

test('a failure of the table becomes a HourglassError with its code, message and details', () => {
  const error = toExecutionError(
    'e-1',
    byActivity(ApplicationFailure.nonRetryable('no', 'POLICY_DENIED', { limit: 'memoryMb', asked: 2, max: 1 })),
  );
  expect(error).toBeInstanceOf(HourglassError);
  expect(error).toMatchObject({ code: 'POLICY_DENIED', message: 'no', details: { limit: 'memoryMb' } });
});

test.each([
  ['WorkerShutdown', 'WORKER_SHUTDOWN'],
  ['ActivityPause', 'EXECUTION_INTERRUPTED'],
  ['ActivityReset', 'EXECUTION_INTERRUPTED'],
])('%s, as the SDK reports it, is %s', (type, code) => {
  expect(toExecutionError('e-1', byActivity(ApplicationFailure.retryable('x', type)))).toMatchObject({ code });
});

test('a type from elsewhere keeps its failure', () => {
  const cause = ApplicationFailure.retryable('x', 'toString');
  expect(toExecutionError('e-1', byActivity(cause))).toBe(cause);
});

test('cancelled and terminated executions are told apart', () => {
  const how = (error: unknown): unknown => (error instanceof ExecutionCancelled ? error.how : error);
  expect(how(toExecutionError('e-1', failed(new CancelledFailure('x'))))).toBe('cancelled');
  expect(how(toExecutionError('e-1', byActivity(new CancelledFailure('x'))))).toBe('cancelled');
  expect(how(toExecutionError('e-1', failed(new TerminatedFailure('x'))))).toBe('terminated');
});

test('a worker that went silent is a lost sandbox', () => {
  expect(toExecutionError('e-1', byActivity(new TimeoutFailure('x', undefined, 'HEARTBEAT')))).toMatchObject({
    code: 'SANDBOX_LOST',
    message: expect.stringContaining('HEARTBEAT') as string,
  });
});

test('other errors pass unchanged', () => {
  const error = new Error('no connection');
  expect(toExecutionError('e-1', error)).toBe(error);
});
