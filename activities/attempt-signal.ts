import type { Context, Info } from '@temporalio/activity';
import type { ExecutionHost } from '../src/execution/host';
import { LeaveRunning } from '../src/runner';

/**
 * Whether the program goes on when its attempt ends for a reason of Temporal's, and the next attempt takes it over.
 *
 * `ask`: only where the server still waits for the activity. It tells an attempt that it has given up, and one whose workflow
 * is closed, in the same words.
 */
const GOES_ON: Readonly<Record<string, 'yes' | 'ask'>> = {
  WORKER_SHUTDOWN: 'yes',
  TIMED_OUT: 'ask',
  NOT_FOUND: 'ask',
};

/** Whether the server still waits for an activity; true where it cannot be asked. Never rejects. */
export type IsAwaited = (activity: Info) => Promise<boolean>;

/** The signal of an execution: aborts as the activity's does, with LeaveRunning where its program goes on. */
export function attemptSignal(
  { cancellationSignal: signal, info }: Context,
  { detachOnShutdown }: Pick<ExecutionHost, 'detachOnShutdown'>,
  isAwaited: IsAwaited,
): AbortSignal {
  const controller = new AbortController();
  const onAbort = async (): Promise<void> => {
    const reason: unknown = signal.reason;
    const answer = reason instanceof Error ? GOES_ON[reason.message] : undefined;
    const goesOn = answer === 'yes' ? detachOnShutdown : answer === 'ask' && (await isAwaited(info));
    controller.abort(goesOn ? new LeaveRunning(reason) : reason);
  };
  if (signal.aborted) void onAbort();
  else signal.addEventListener('abort', () => void onAbort(), { once: true });
  return controller.signal;
}
