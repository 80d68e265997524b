import { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { TellSession } from './sessions/give-notice';
import { drainSignal } from '../workflows/session/messages';

/** Tells by a signal of the session's workflow; one that has ended need not know. */
export function sessionTeller(connection: NativeConnection, namespace: string, hostId: string): TellSession {
  const client = new Client({ connection, namespace });
  return async ({ workflowId, firstRunId }, noticeMs) => {
    try {
      await client.workflow.getHandle(workflowId).signal(drainSignal, { firstRunId, hostId, noticeMs });
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}
