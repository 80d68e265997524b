import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than a process takes to look. */
const SEEN_MS = 500;

/** The wall clock of worker processes that are started with it, which can be moved; nobody else's is. */
export class MovedClock {
  /** For their command line. */
  readonly nodeOptions = ['-r', join(__dirname, 'move-clock.js')];
  readonly #file: string;

  constructor(dir: string) {
    this.#file = join(dir, 'clock');
    process.env['HOURGLASS_TEST_CLOCK'] = this.#file;
  }

  /** Resolves when the processes have seen it. */
  async move(byMs: number): Promise<void> {
    writeFileSync(this.#file, String(byMs));
    await delay(SEEN_MS);
  }
}
