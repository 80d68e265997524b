import { ServiceError } from '@temporalio/client';
import { CliError, describeFailure, endedBySignal, Interrupted } from '../../../src/cli/errors';
import { EXIT } from '../../../src/cli/exit-codes';
import { ExecutionCancelled } from '../../../src/client-errors';
import { ConfigError } from '../../../src/config';
import { HourglassError } from '../../../src/contract';
import { failure } from '../../../src/doctor/check';
import { HostUnfitError } from '../../../src/doctor/start-check';
import { SetupError } from '../../../infra/setup/errors.js';

/** A start check in which this one check failed. */
const unfit = (name: string): HostUnfitError => new HostUnfitError([{ name, ...failure('is not so', 'do this') }]);

test.each<[string, unknown, number, string]>([
  ['a failure of the contract', new HourglassError('POLICY_DENIED', 'no'), 77, 'POLICY_DENIED'],
  ['a cancelled execution', new ExecutionCancelled('e', 'cancelled'), 130, 'INTERRUPTED'],
  ['a bad configuration', new ConfigError([]), 78, 'CONFIG'],
  ['a set-up that cannot go on', new SetupError('type this'), 69, 'UNAVAILABLE'],
  ['a host that does not keep a promise', unfit('memory-limit'), 69, 'UNAVAILABLE'],
  ['a host that does not have what a setting asks for', unfit('runtime'), 78, 'CONFIG'],
  ['wrong usage', new CliError('no', EXIT.USAGE), 64, 'USAGE'],
  ['Ctrl-C', new Interrupted('SIGINT'), 130, 'INTERRUPTED'],
  ['SIGTERM', new Interrupted('SIGTERM'), 143, 'TERMINATED'],
  ['what nobody expected', new TypeError('oops'), 70, 'INTERNAL'],
  ['something thrown that is no error', 'oops', 70, 'INTERNAL'],
])('%s has its exit code and name', (_title, error, exitCode, code) => {
  expect(describeFailure(error)).toMatchObject({ exitCode, code });
});

test('what a signal has cancelled ends as that signal does', () => {
  const controller = new AbortController();
  const cancelled = new ExecutionCancelled('e', 'cancelled');
  expect(endedBySignal(cancelled, controller.signal)).toBe(cancelled);
  controller.abort(new Interrupted('SIGTERM'));
  const failure = describeFailure(endedBySignal(cancelled, controller.signal));
  expect(failure).toMatchObject({ exitCode: 143, code: 'TERMINATED', message: cancelled.message });
  const other = new HourglassError('QUEUE_TIMEOUT', 'full');
  expect(endedBySignal(other, controller.signal)).toBe(other);
});

test('a server that is gone is named, and what it refuses has its reason', () => {
  const failed = (code: number, details: string): Error =>
    new ServiceError('Failed to start', { cause: Object.assign(new Error(details), { code, details }) });
  expect(describeFailure(failed(14, 'No connection'))).toMatchObject({
    ...{ exitCode: 69, message: 'the Temporal server does not answer any more (Failed to start)' },
  });
  expect(describeFailure(failed(7, 'not yours')).message).toBe('Failed to start: not yours');
});

test('a stack is shown only for what nobody expected', () => {
  expect(describeFailure(new TypeError('oops')).stack).toContain('errors.test');
  for (const known of [new CliError('no', EXIT.USAGE), unfit('memory-limit'), unfit('runtime')])
    expect(describeFailure(known).stack).toBeUndefined();
});

test('a failure of the contract says whether a retry can help, and with which details', () => {
  const failure = describeFailure(new HourglassError('QUEUE_TIMEOUT', 'full', { limit: 'memoryMb', max: 5 }));
  expect(failure).toMatchObject({ retryable: true, details: { limit: 'memoryMb', max: 5 } });
});
