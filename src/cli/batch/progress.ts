import type { Channel } from '../terminal';

const INTERVAL_MS = 250;
const WIDTH = 24;

/** What a batch has come to. */
export interface BatchCounts {
  /** Lines that had their result line before. */
  skipped: number;
  /** Lines with a result, whatever their programs did. */
  results: number;
  /** Of those, programs that succeeded. */
  succeeded: number;
  /** Lines with a failure. */
  failures: number;
  running: number;
}

/** A bar on a terminal; silent elsewhere. `total`: lines of the file. */
export class ProgressBar {
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly counts: BatchCounts,
    private readonly total: number,
  ) {}

  start(): void {
    if (this.channel.isTerminal) this.#timer = setInterval(() => this.#draw(), INTERVAL_MS);
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw();
    this.channel.line();
  }

  #draw(): void {
    const { skipped, results, failures, running } = this.counts;
    const done = skipped + results + failures;
    const share = this.total === 0 ? 1 : done / this.total;
    const full = Math.round(share * WIDTH);
    const perSecond = ((results + failures) / Math.max(1, Date.now() - this.#startedAt)) * 1_000;
    const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
    const words = `${done}/${this.total}  ${failures} failed  ${running} running  ${perSecond.toFixed(1)}/s`;
    this.channel.draw(`${bar} ${words}`);
  }
}
