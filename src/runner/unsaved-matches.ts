import { boundMessage } from './bounded-text';
import type { UnsendableKind } from './program';

const SHOWN = 3;
const PATH_BYTES = 200;

const WHY: Readonly<Record<UnsendableKind, string>> = {
  link: 'is a symbolic link',
  fifo: 'is a named pipe',
  socket: 'is a socket',
  device: 'is a device',
  name: 'has a name that is not UTF-8',
};

/** What globs mean and the workspace cannot hold; each path counts once. */
export class UnsavedMatches {
  readonly #reasons = new Map<string, string>();

  /** `why` is a kind, or the fault of a path as `describePathFault` says it. */
  add(sandboxPath: string, why: { kind: UnsendableKind } | { fault: string }): void {
    this.#reasons.set(sandboxPath, 'kind' in why ? WHY[why.kind] : `has a path that ${why.fault}`);
  }

  /** One sentence for all of them, of bounded length; none where there are none. */
  describe(): string[] {
    if (this.#reasons.size === 0) return [];
    const shown = [...this.#reasons]
      .slice(0, SHOWN)
      .map(([path, reason]) => `${boundMessage(JSON.stringify(path), PATH_BYTES)} ${reason}`);
    const more = this.#reasons.size > SHOWN ? `, and ${this.#reasons.size - SHOWN} more` : '';
    return [`Output files matched, but not saved: ${shown.join(', ')}${more}`];
  }
}
