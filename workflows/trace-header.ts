import type { Payload } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** Where Temporal's OpenTelemetry interceptors put the caller's trace. */
const TRACE_HEADER = '_tracer-data';

/** Passes the trace that a workflow was started with on to its activities, as it came: nothing here reads it. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let trace: Payload | undefined;
  return {
    inbound: [
      {
        execute: (input, next) => {
          trace = input.headers[TRACE_HEADER];
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) =>
          next(trace === undefined ? input : { ...input, headers: { [TRACE_HEADER]: trace, ...input.headers } }),
      },
    ],
  };
};
