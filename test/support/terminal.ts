import pc from 'picocolors';
import type { Channel, Terminal } from '../../src/cli/terminal';

/** A terminal in memory. */
export interface RecordedTerminal extends Terminal {
  /** Everything that was written so far. */
  readonly text: { out: string; err: string };
}

/** A terminal that keeps what it is told. */
export function recordTerminal(isTerminal = false): RecordedTerminal {
  const text = { out: '', err: '' };
  const channel = (name: 'out' | 'err'): Channel => ({
    isTerminal,
    colors: pc.createColors(false),
    line: (line = '') => void (text[name] += `${line}\n`),
    draw: (line) => void (text[name] += `\r${line}`),
    raw: (chunk) => void (text[name] += chunk.toString()),
  });
  return { out: channel('out'), err: channel('err'), flush: () => Promise.resolve(), text };
}
