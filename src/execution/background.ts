/** Work that goes on after the call that began it has been answered. */
export class Background {
  readonly #running = new Set<Promise<void>>();

  /** Keeps track of work until it is done. It must not reject. */
  add(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Resolves when all that was added by then is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
