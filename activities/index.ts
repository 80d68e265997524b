import type { ExecutionHost } from '../src/execution/host';
import type { ExecutionRequest, ExecutionResult, JsonValue } from '../src/contract';
import type { IsAwaited } from './attempt-signal';
import { createExecuteCode } from './execute-code';

/** An execution that another activity has begun, as its failure OTHER_HOST names it. */
export interface HandedOn {
  readonly origin?: string | undefined;
  /** Where it was last heard of. */
  readonly phase?: string | undefined;
  /** What its program has kept. */
  readonly checkpoint?: JsonValue | undefined;
}

/** What workflows call; every function of it is registered under its name. */
export interface Activities {
  /** Runs one request. Throws ApplicationFailure by the table `FAILURES`, or the reason of its cancellation. */
  executeCode(request: ExecutionRequest, handedOn?: HandedOn): Promise<ExecutionResult>;
}

/** The activities of one worker. */
export function createActivities(host: ExecutionHost, isAwaited: IsAwaited): Activities {
  return { executeCode: createExecuteCode(host, isAwaited) };
}
