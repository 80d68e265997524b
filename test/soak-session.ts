import { ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { HourglassSession } from '../src/client';
import { inLanes } from '../src/lanes';
import { DurableSetup } from './support/durable';

const DEFAULT_CALLS = 10_000;
/** Calls that wait for their turn at a time; the server takes ten of one workflow. */
const LANES = 8;
const STEP = 500;

/* eslint-disable no-console -- a command line of its own */

/** Each call counts on from the one before: one that is lost, doubled or out of order shows in all that follow. */
async function callAgainAndAgain(session: HourglassSession, calls: number): Promise<void> {
  const started = performance.now();
  const numbers = Array.from({ length: calls }, (_, index) => index + 1);
  await inLanes(numbers, LANES, async (number) => {
    const { stdout } = await session.run('n=$((n+1)); echo $n');
    ok(stdout === `${number}\n`, `call ${number} said ${JSON.stringify(stdout)}`);
    if (number % STEP !== 0) return;
    const perSecond = (number / (performance.now() - started)) * 1_000;
    const rss = Math.round(process.memoryUsage().rss / 1_048_576);
    console.log(`call ${number} of ${calls}: ${perSecond.toFixed(1)} a second, ${rss} MiB in this process`);
  });
}

/** Runs that a session's workflow went through so far. */
async function runsOf(setup: DurableSetup, workflowId: string): Promise<number> {
  const runs: string[] = [];
  for await (const { runId } of setup.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(runId);
  return runs.length;
}

async function main(): Promise<void> {
  const calls = Number(process.argv[2] ?? DEFAULT_CALLS);
  const setup = await DurableSetup.open();
  const worker = await setup.worker();
  try {
    const session = setup.hourglass.session({ sessionId: `soak-${randomUUID()}`, language: 'shell' });
    await callAgainAndAgain(session, calls);
    const status = await session.status();
    await session.close();
    ok(status.calls === calls, `${status.calls} calls were counted`);
    const left = await setup.place.containers();
    ok(left.length === 0, `left over: ${left.join(', ')}`);
    console.log(`${calls} calls in their order, in ${await runsOf(setup, session.workflowId)} runs of the workflow`);
  } finally {
    await worker.stop();
    await setup.close();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
