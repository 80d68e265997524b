import { Context } from '@temporalio/activity';
import type { Attempt, ExecutionHost } from '../src/execution/host';
import { ExecutionProgress } from '../src/execution/progress';
import { executionIdOf, isLater, originOf, waitedMs } from './attempt-facts';
import { attemptSignal, type IsAwaited } from './attempt-signal';

/** What an activity begins with: its context, and the attempt that it is. */
export interface BegunAttempt {
  readonly context: Context;
  readonly attempt: Attempt;
}

/** The attempt of the activity that calls this; see `attemptSignal` for `detachOnShutdown`. */
export function beginAttempt(host: ExecutionHost, detachOnShutdown: boolean, isAwaited: IsAwaited): BegunAttempt {
  const context = Context.current();
  const { info } = context;
  const { workflowExecution: workflow, attempt: number } = info;
  const { hostId } = host.owner;
  const progress = new ExecutionProgress(hostId, executionIdOf(info), waitedMs(info), host.onOutput, number);
  const log = host.log.child({ workflowId: workflow?.workflowId, attempt: number });
  const signal = attemptSignal(context, { detachOnShutdown }, isAwaited);
  const identity = { origin: originOf(info), number, turn: host.attempts.nextTurn(), isLater: isLater(info) };
  return { context, attempt: { signal, workflow, progress, ...identity, log } };
}
