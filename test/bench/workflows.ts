import { condition, defineUpdate, proxyActivities, setHandler, uuid4 } from '@temporalio/workflow';
import { executeCodeOptions } from '../../workflows/activity-options';

export { codeSession, executeCode } from '../../workflows';

const noopUpdate = defineUpdate<unknown, [unknown]>('noop');

/** `executeCode` with an activity that does nothing: what Temporal itself costs. */
export async function noop(request: { readonly language: string }): Promise<unknown> {
  const activities = proxyActivities<{ noop(input: unknown): Promise<unknown> }>(executeCodeOptions(request));
  return activities.noop({ ...request, executionId: uuid4() });
}

/** `executeCode` with an activity that waits for its cancellation. */
export async function waiting(request: { readonly language: string }): Promise<void> {
  await proxyActivities<{ waiting(): Promise<void> }>(executeCodeOptions(request)).waiting();
}

/** Takes updates as a session does, each with an activity that does nothing; until it is terminated. */
export async function noopUpdates(request: { readonly language: string }): Promise<void> {
  const activities = proxyActivities<{ noop(input: unknown): Promise<unknown> }>(executeCodeOptions(request));
  setHandler(noopUpdate, (input) => activities.noop(input));
  await condition(() => false);
}
