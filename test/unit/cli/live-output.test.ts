import { createLiveOutput } from '../../../src/cli/run/live-output';
import type { ExecutionResult, HeartbeatDetails } from '../../../src/contract';
import { recordTerminal } from '../../support/terminal';

function ended(stdout: string, stderr = ''): ExecutionResult {
  return { stdout, stderr } as ExecutionResult;
}

function head(text: string | Buffer, stream: 'stdout' | 'stderr' = 'stdout', executionId = 'e') {
  return { executionId, stream, chunk: Buffer.from(text), kind: 'head' } as const;
}

function beat(tail: string, stdoutBytes: number): HeartbeatDetails {
  return { tail, stdoutBytes } as HeartbeatDetails;
}

describe('with a worker in this process', () => {
  test('each stream is shown as it comes and once', () => {
    const terminal = recordTerminal();
    const live = createLiveOutput('e', terminal);
    live.onChunk(head('a\n'));
    live.onChunk(head('warn\n', 'stderr'));
    live.onChunk(head('b\n'));
    expect(terminal.text).toEqual({ out: 'a\nb\n', err: 'warn\n' });
    live.finish(ended('a\nb\n', 'warn\n'));
    expect(terminal.text).toEqual({ out: 'a\nb\n', err: 'warn\n' });
  });

  test('what came too late to be shown live is shown in the end', () => {
    const terminal = recordTerminal();
    const live = createLiveOutput('e', terminal);
    live.onChunk(head('a\n'));
    live.finish(ended('a\nb\n'));
    expect(terminal.text.out).toBe('a\nb\n');
  });

  test('of a stream that was cut the mark and the end follow the beginning', () => {
    const terminal = recordTerminal();
    const live = createLiveOutput('e', terminal);
    live.onChunk(head('12345678'));
    live.finish(ended('1234\n… cut …\n99'));
    expect(terminal.text.out).toBe('12345678\n… cut …\n99');
  });

  test('output of another execution is not shown', () => {
    const terminal = recordTerminal();
    createLiveOutput('e', terminal).onChunk(head('other', 'stdout', 'f'));
    expect(terminal.text.out).toBe('');
  });
});

describe('with a worker elsewhere', () => {
  test('what is new in the tail is shown', () => {
    const terminal = recordTerminal(true);
    const live = createLiveOutput('e', terminal);
    live.onHeartbeat(beat('one\n', 4));
    live.onHeartbeat(beat('one\n', 4));
    live.onHeartbeat(beat('one\ntwo\n', 8));
    live.finish(ended('one\ntwo\nthree\n'));
    expect(terminal.text.out).toBe('one\ntwo\nthree\n');
  });

  test('a gap is marked, and the whole is shown in the end', () => {
    const terminal = recordTerminal(true);
    const live = createLiveOutput('e', terminal);
    live.onHeartbeat(beat('b\n', 100));
    live.finish(ended('a\nb\n'));
    expect(terminal.text.out).toBe('\n… 98 bytes later …\nb\n\n--- all that was kept ---\na\nb\n');
  });

  test('a pipe gets the output once, and complete', () => {
    const terminal = recordTerminal(false);
    const live = createLiveOutput('e', terminal);
    live.onHeartbeat(beat('b\n', 100));
    live.finish(ended('a\nb\n'));
    expect(terminal.text.out).toBe('a\nb\n');
  });
});
