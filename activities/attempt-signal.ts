import type { Context, Info } from '@temporalio/activity';
import { HourglassError } from '../src/contract';
import type { ExecutionHost } from '../src/execution/host';
import { LeaveRunning } from '../src/runner';

/**
 * Whether the program goes on when its attempt ends for a reason of Temporal's, and the next attempt takes it over.
 *
 * `told`: where the worker is told to. `ask`: only where the server still waits for the activity. It tells an attempt that it has
 * given up, and one whose workflow is closed, in the same words.
 */
const GOES_ON: Readonly<Record<string, 'yes' | 'told' | 'ask'>> = {
  PAUSED: 'yes',
  RESET: 'yes',
  WORKER_SHUTDOWN: 'told',
  TIMED_OUT: 'ask',
  NOT_FOUND: 'ask',
};

/** Whether the server still waits for an activity; true where it cannot be asked. Never rejects. */
export type IsAwaited = (activity: Info) => Promise<boolean>;

/** Whether an activity was paused or reset: its next attempt may be long in coming. */
export function isSetAside({ reason }: Pick<AbortSignal, 'reason'>): boolean {
  return reason instanceof Error && GOES_ON[reason.message] === 'yes';
}

/**
 * The signal of an execution: aborts as the activity's does, with LeaveRunning where its program goes on, and with HourglassError
 * WORKER_SHUTDOWN where the worker takes it along.
 */
export function attemptSignal(
  { cancellationSignal: signal, info }: Context,
  { detachOnShutdown }: Pick<ExecutionHost, 'detachOnShutdown'>,
  isAwaited: IsAwaited,
): AbortSignal {
  const controller = new AbortController();
  const onAbort = async (): Promise<void> => {
    const reason: unknown = signal.reason;
    const answer = reason instanceof Error ? GOES_ON[reason.message] : undefined;
    const isLeft = answer === 'yes' || (answer === 'told' && detachOnShutdown);
    if (isLeft || (answer === 'ask' && (await isAwaited(info)))) return controller.abort(new LeaveRunning(reason));
    controller.abort(answer === 'told' ? workerStops() : reason);
  };
  if (signal.aborted) void onAbort();
  else signal.addEventListener('abort', () => void onAbort(), { once: true });
  return controller.signal;
}

function workerStops(): HourglassError {
  return new HourglassError('WORKER_SHUTDOWN', 'the worker stopped before the program ended');
}
