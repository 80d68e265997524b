import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { toTemporalFailure } from '../../../activities/failures';
import { FAILURES, HourglassError, type FailureCode } from '../../../src/contract';

const calm = new AbortController().signal;

function failureOf(error: unknown): ApplicationFailure {
  const failure = toTemporalFailure(error, calm);
  if (failure instanceof ApplicationFailure) return failure;
  throw new Error('not an ApplicationFailure');
}

test.each(Object.keys(FAILURES) as FailureCode[])('%s becomes an ApplicationFailure by the table', (code) => {
  const definition: { retryable: boolean; nextRetryDelayMs?: number } = FAILURES[code];
  const failure = failureOf(new HourglassError(code, 'why', { limit: 'memoryMb', asked: 2, max: 1 }));
  expect(failure.type).toBe(code);
  expect(failure.message).toBe('why');
  expect(failure.nonRetryable).toBe(!definition.retryable);
  expect(failure.nextRetryDelay).toBe(definition.nextRetryDelayMs);
  expect(failure.details).toEqual([{ limit: 'memoryMb', asked: 2, max: 1 }]);
});

test('what caller or policy did wrong raises no alert, what the platform did does', () => {
  const category = (code: FailureCode): unknown => failureOf(new HourglassError(code, 'why')).category;
  expect(category('VALIDATION_ERROR')).toBe(ApplicationFailureCategory.BENIGN);
  expect(category('POLICY_DENIED')).toBe(ApplicationFailureCategory.BENIGN);
  expect(category('SANDBOX_LOST')).toBeUndefined();
});

test('an error that no table knows is named and may be retried', () => {
  expect(failureOf(new TypeError('x is not a function'))).toMatchObject({
    type: 'INTERNAL_ERROR',
    message: 'TypeError: x is not a function',
    nonRetryable: false,
  });
  expect(failureOf('text').message).toBe('unknown error');
});

test('a failure carries no stack and no cause: they name files of the worker', () => {
  const failure = failureOf(new HourglassError('WORKSPACE_ERROR', 'why', {}, { cause: new Error('/srv/secret') }));
  expect([failure.stack, failure.cause]).toEqual(['', undefined]);
});

test('messages are bounded', () => {
  const failure = failureOf(new HourglassError('PROTOCOL_ERROR', '\u0000'.repeat(100_000)));
  expect(JSON.stringify(failure.message).length).toBeLessThanOrEqual(4_096);
});

test('after a cancellation the reason of the signal is thrown, whatever went wrong', () => {
  const controller = new AbortController();
  const reason = new CancelledFailure('CANCELLED');
  controller.abort(reason);
  expect(toTemporalFailure(new HourglassError('SANDBOX_LOST', 'why'), controller.signal)).toBe(reason);
  expect(toTemporalFailure(new Error('stream closed'), controller.signal)).toBe(reason);
});

test('the failure of the last attempt is final, by the name it has anyhow', () => {
  for (const error of [new HourglassError('ENGINE_UNAVAILABLE', 'why'), new Error('why')]) {
    const last = toTemporalFailure(error, calm, true);
    expect(last).toMatchObject({ type: failureOf(error).type, nonRetryable: true });
  }
});
