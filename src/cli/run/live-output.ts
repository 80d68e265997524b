import { StringDecoder } from 'node:string_decoder';
import type { ExecutionResult, HeartbeatDetails } from '../../contract';
import type { OutputChunk } from '../../execution/progress';
import type { Channel, Terminal } from '../terminal';

/** Shows what a program prints while it runs, and in the end what was not shown yet. */
export interface LiveOutput {
  /** A piece from a worker in this process. */
  onChunk(output: OutputChunk): void;
  /** A heartbeat of a worker elsewhere: the end of stdout so far. */
  onHeartbeat(details: HeartbeatDetails): void;
  /** The program has ended. */
  finish(result: ExecutionResult): void;
}

/** Live output on a terminal and into pipes alike: stdout to stdout, stderr to stderr. */
export function createLiveOutput(executionId: string, { out, err }: Terminal): LiveOutput {
  const streams = { stdout: new LiveStream(out), stderr: new LiveStream(err) };
  return {
    onChunk: (output) => {
      if (output.executionId === executionId && output.kind === 'head') streams[output.stream].show(output.chunk);
    },
    onHeartbeat: ({ tail, stdoutBytes }) => {
      // Into a pipe goes only what is complete: a tail may have lost what came before it.
      if (tail !== undefined && out.isTerminal) streams.stdout.showTail(tail, stdoutBytes);
    },
    finish: ({ stdout, stderr }) => {
      streams.stdout.finish(stdout);
      streams.stderr.finish(stderr);
    },
  };
}

/** Shows nothing before the end, and nothing then: the result is printed as a whole. */
export const SILENT_OUTPUT: LiveOutput = {
  onChunk: () => undefined,
  onHeartbeat: () => undefined,
  finish: () => undefined,
};

class LiveStream {
  readonly #decoder = new StringDecoder('utf8');
  #shown = '';
  #bytes = 0;
  #hasGap = false;

  constructor(readonly channel: Channel) {}

  show(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#shown += this.#decoder.write(chunk);
    this.channel.raw(chunk);
  }

  /** Shows what is new in the end of a stream that has `total` bytes by now. */
  showTail(tail: string, total: number): void {
    const bytes = Buffer.from(tail);
    const fresh = total - this.#bytes;
    if (fresh <= 0) return;
    if (fresh <= bytes.length) return this.show(bytes.subarray(bytes.length - fresh));
    this.#hasGap = true;
    this.channel.raw(`\n… ${fresh - bytes.length} bytes later …\n`);
    this.channel.raw(tail);
    this.#bytes = total;
  }

  /** Completes what was shown to the text that was kept. */
  finish(kept: string): void {
    if (this.#hasGap) this.#showAgain(kept);
    else this.channel.raw(kept.slice(this.#commonLength(kept)));
  }

  // What was shown live is the beginning of the stream; of a stream that was cut, `kept` has less of the beginning,
  // then a mark, then the end. What both have in common is shown.
  #commonLength(kept: string): number {
    const shown = this.#shown;
    let length = 0;
    while (length < shown.length && shown[length] === kept[length]) length += 1;
    return length;
  }

  #showAgain(kept: string): void {
    this.channel.raw('\n--- all that was kept ---\n');
    this.channel.raw(kept);
  }
}
