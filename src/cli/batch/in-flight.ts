import type { Watched } from '../run/watch';

/** Workflows that a batch waits for, in the order of their starts: executions, and sessions while they have a call. */
export class InFlight {
  readonly #workflows = new Set<string>();

  /** Notes a workflow; the result takes it off again. */
  begin(workflowId: string): () => void {
    this.#workflows.add(workflowId);
    return () => this.#workflows.delete(workflowId);
  }

  /** The one to look at: where no worker takes that, none takes any. */
  get oldest(): Watched | undefined {
    const [workflowId] = this.#workflows;
    return workflowId === undefined ? undefined : { workflowId };
  }
}
