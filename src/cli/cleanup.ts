/** Things to undo, the last one first. */
export class Cleanup {
  readonly #steps: (() => unknown)[] = [];

  /** Remembers a step. */
  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** Takes every step, also after one failed; then rejects with the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
