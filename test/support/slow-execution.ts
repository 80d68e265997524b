import type { ExecutionHandle } from '../../src/client';
import type { ExecutionRequest } from '../../src/contract';
import type { DurableSetup } from './durable';
import { eventually } from './eventually';

/** Says which of its starts this is, and ends after some time with what it said. */
const slow = (seconds: number): string =>
  [
    'import secrets, time',
    'token = secrets.token_hex(8)',
    'print(token, flush=True)',
    `time.sleep(${seconds})`,
    'open("token.txt", "w").write(token)',
    'print("end")',
    'result = token',
  ].join('\n');

/** An execution whose program has said what its result will be. */
export interface SlowExecution extends ExecutionHandle {
  readonly token: string;
  readonly sandboxId: string | undefined;
}

/** Starts a program that runs once: its second start would say something else. Resolves when it has begun. */
export async function startSlow(
  setup: DurableSetup,
  seconds: number,
  facts: Partial<ExecutionRequest> = {},
): Promise<SlowExecution> {
  const request: ExecutionRequest = {
    language: 'python',
    code: slow(seconds),
    outputFiles: [{ sandboxPath: 'token.txt' }],
    timeout: 240_000,
    ...facts,
  };
  const handle = await setup.hourglass.start(request);
  const { tail, sandboxId } = await setup.heartbeat(handle.workflowId, (beat) => (beat.tail ?? '').length > 16);
  return { ...handle, token: (tail ?? '').trim(), sandboxId };
}

/** Resolves when nothing is left of an execution but its result. */
export async function nothingLeft({ place }: DurableSetup): Promise<void> {
  await eventually(
    async () => [await place.containers(), await place.leases()],
    (left) => left.every((list) => list.length === 0),
  );
}
