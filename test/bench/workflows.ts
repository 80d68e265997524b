import { proxyActivities, uuid4 } from '@temporalio/workflow';
import { executeCodeOptions } from '../../workflows/activity-options';

export { executeCode } from '../../workflows';

/** `executeCode` with an activity that does nothing: what Temporal itself costs. */
export async function noop(request: { readonly language: string }): Promise<unknown> {
  const activities = proxyActivities<{ noop(input: unknown): Promise<unknown> }>(executeCodeOptions(request));
  return activities.noop({ ...request, executionId: uuid4() });
}

/** `executeCode` with an activity that waits for its cancellation. */
export async function waiting(request: { readonly language: string }): Promise<void> {
  await proxyActivities<{ waiting(): Promise<void> }>(executeCodeOptions(request)).waiting();
}
