import { keyText } from '../leases/execution-key';
import type { ExecutionKey } from '../leases/lease-store';

/** An attempt of this process that holds a sandbox. */
interface Holder {
  /** Lets go of the sandbox and resolves when that is done. */
  leave(): Promise<void>;
}

/** The attempts of this process that hold sandboxes: a later one at the same execution takes its sandbox from the earlier. */
export class Attempts {
  readonly #holders = new Map<string, Holder>();
  #turns = 0;

  /** A number that no other attempt of this process has. */
  nextTurn(): number {
    this.#turns += 1;
    return this.#turns;
  }

  isHeld(execution: ExecutionKey): boolean {
    return this.#holders.has(keyText(execution));
  }

  /** Notes who holds the sandbox of an execution; the result takes it off again. */
  hold(execution: ExecutionKey, holder: Holder): () => void {
    const id = keyText(execution);
    this.#holders.set(id, holder);
    return () => {
      if (this.#holders.get(id) === holder) this.#holders.delete(id);
    };
  }

  /** Resolves when no attempt of this process holds the sandbox of this execution any more. */
  async supersede(execution: ExecutionKey): Promise<void> {
    await this.#holders.get(keyText(execution))?.leave();
  }
}
