import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { describeExecution, type Sighting } from '../run/watch';

const LOOK_MS = 2_000;

/** Executions that a batch waits for, in the order of their starts. */
export class InFlight {
  readonly #workflowIds = new Set<string>();

  /** Notes an execution; the result takes it off again. */
  begin(workflowId: string): () => void {
    this.#workflowIds.add(workflowId);
    return () => this.#workflowIds.delete(workflowId);
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
      const [workflowId] = this.#workflowIds;
      if (workflowId === undefined) continue;
      await onSighting(await describeExecution(connection, namespace, { workflowId, runId: '' }));
    }
  }
}
