import { readdirSync } from 'node:fs';

const POLL_MS = 100;
const MARK = /^run-(\w+)-(\w+)$/;

/**
 * Sees every start of a program that lasts for a moment: it leaves a file in its sandbox, and this machine's processes show
 * their files below /proc. Nothing of Hourglass has a part in that.
 */
export class StartObserver {
  readonly #starts = new Map<string, Set<string>>();
  readonly #timer = setInterval(() => this.#look(), POLL_MS);

  /** Marks of all starts of a program. */
  of(name: string): ReadonlySet<string> {
    return this.#starts.get(name) ?? new Set();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      for (const entry of listed(`/proc/${pid}/root/sandbox`)) this.#note(entry);
    }
  }

  #note(entry: string): void {
    const [, name, mark] = MARK.exec(entry) ?? [];
    if (name === undefined || mark === undefined) return;
    const marks = this.#starts.get(name) ?? new Set();
    this.#starts.set(name, marks.add(mark));
  }
}

/** Nothing where there is no such folder, or the process is gone. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
