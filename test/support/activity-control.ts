import type { DurableSetup } from './durable';

/** What an operator may do to an activity while it is not finished. */
export class ActivityControl {
  constructor(
    private readonly setup: DurableSetup,
    private readonly workflowId: string,
    private readonly type = 'executeCode',
  ) {}

  async pause(): Promise<void> {
    await this.setup.connection.workflowService.pauseActivity({ ...this.#activity, reason: 'lunch' });
  }

  async unpause(): Promise<void> {
    await this.setup.connection.workflowService.unpauseActivity(this.#activity);
  }

  async reset(): Promise<void> {
    await this.setup.connection.workflowService.resetActivity(this.#activity);
  }

  get #activity() {
    const execution = { workflowId: this.workflowId };
    return { namespace: 'default', execution, identity: 'test', type: this.type };
  }
}
