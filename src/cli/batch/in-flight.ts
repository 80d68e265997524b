import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { describeExecution, type Sighting } from '../run/watch';
import { describeCall } from '../session/watch-call';

const LOOK_MS = 2_000;

/** What a workflow that a batch waits for is: an execution, or the session of a call. */
type Kind = 'execution' | 'session';

/** Workflows that a batch waits for, in the order of their starts. */
export class InFlight {
  readonly #workflows = new Map<string, Kind>();

  /** Notes a workflow; the result takes it off again. */
  begin(workflowId: string, kind: Kind = 'execution'): () => void {
    this.#workflows.set(workflowId, kind);
    return () => this.#workflows.delete(workflowId);
  }

  /**
   * Looks every few seconds at the oldest of them, until the signal aborts: where no worker takes that, none takes any. Never
   * rejects.
   */
  async watch(
    connection: Connection,
    namespace: string,
    onSighting: (sighting: Sighting) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
      const [oldest] = this.#workflows;
      if (oldest === undefined) continue;
      const [workflowId, kind] = oldest;
      const isCall = kind === 'session';
      await onSighting(
        isCall
          ? await describeCall(connection, namespace, workflowId)
          : await describeExecution(connection, namespace, { workflowId, runId: '' }),
      );
    }
  }
}
