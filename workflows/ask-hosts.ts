import { ActivityFailure, ApplicationFailure, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { hostQueue, type HostActivities, type HostAnswer, type HostQuestion, type HostReport } from '../src/contract';

/** A host whose worker lives answers within a moment. */
const ANSWER_MS = 5_000;

/** Asks hosts how they are, or tells them whether to take new work; one that does not answer is among the answers, too. */
export function askHosts({ hostIds, order }: HostQuestion): Promise<HostAnswer[]> {
  return Promise.all(
    hostIds.map(async (hostId): Promise<HostAnswer> => {
      try {
        return { hostId, report: await ask(hostId, order) };
      } catch (error) {
        if (error instanceof ActivityFailure) return { hostId, failure: wordsFor(error) };
        throw error;
      }
    }),
  );
}

function ask(hostId: string, order: HostQuestion['order']): Promise<HostReport> {
  const activities = proxyActivities<HostActivities>({
    taskQueue: hostQueue(workflowInfo().taskQueue, hostId),
    scheduleToStartTimeout: ANSWER_MS,
    startToCloseTimeout: ANSWER_MS,
    retry: { maximumAttempts: 1 },
    summary: hostId,
  });
  return order === undefined ? activities.describeHost() : activities.drainHost(order);
}

function wordsFor({ cause }: ActivityFailure): string {
  return cause instanceof ApplicationFailure ? cause.message : 'no answer';
}
