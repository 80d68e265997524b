import type { Progress } from '../../contract';
import type { Channel } from '../terminal';

const WIDTH = 24;

/** Shows on a terminal how far a program says that it is: a line each time that it says something new. */
export class RunProgress {
  #shown = '';

  constructor(private readonly channel: Channel) {}

  show(progress: Progress | undefined): void {
    if (progress === undefined || !this.channel.isTerminal) return;
    const { fraction, message } = progress;
    const full = Math.round(fraction * WIDTH);
    const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
    const line = `${bar} ${String(Math.round(fraction * 100)).padStart(3)} %${message === undefined ? '' : `  ${message}`}`;
    if (line === this.#shown) return;
    this.#shown = line;
    this.channel.line(this.channel.colors.dim(line));
  }
}
