import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ExecutionHost } from '../src/execution/host';

/** Hands the trace that came with an activity to the spans of its execution. */
export function traceParents({ tracing }: Pick<ExecutionHost, 'tracing'>): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      execute: (input, next) => {
        tracing.receive(context, input.headers);
        return next(input);
      },
    },
  });
}
