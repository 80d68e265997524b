import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBatchFile } from '../../src/cli/batch/run-batch';
import { readResults, returnedFile, writeLines } from '../support/batch';
import { buildCli, startCommand } from '../support/cli';
import { recordTerminal } from '../support/terminal';
import { WorkerPlace } from '../support/test-worker';

// Through the engine alone: nobody asks for the server.
const place = new WorkerPlace('127.0.0.1:1');

beforeAll(buildCli);
afterAll(() => place.remove());

test('a file above the size for it comes as its hash and stays in the workspace, as one does that has a place there', async () => {
  const [largest, larger, named] = [1_024, 1_025, 5].map((size) => Buffer.alloc(size, 'y'));
  if (largest === undefined || larger === undefined || named === undefined) throw new Error('three files');
  const code = [1_024, 1_025, 5].map((size) => `head -c ${size} /dev/zero | tr '\\0' y > ${size}.txt`).join('\n');
  const outputFiles = [
    { sandboxPath: '1024.txt' },
    { sandboxPath: '1025.txt' },
    { sandboxPath: '5.txt', workspacePath: 'mine/named.txt' },
  ];
  writeLines(place, 'files.jsonl', [{ id: 'files', request: { language: 'shell', code, outputFiles } }]);
  const end = await startCommand(place, ['batch', 'files.jsonl', '-o', 'r.jsonl', '--inline-files', '1k', '--direct'])
    .ended;
  expect(end.exitCode).toBe(0);
  const { files } = readResults(place, 'r.jsonl')['files'] as { files?: unknown };
  expect(files).toEqual({
    '1024.txt': returnedFile(largest),
    '1025.txt': returnedFile(larger, false),
    '5.txt': returnedFile(named),
  });
  const [kept = '', ...others] = await place.files();
  expect([kept, ...others]).toEqual([expect.stringMatching(/^batch\/.+\/1025\.txt$/), 'mine/named.txt']);
  expect(readFileSync(place.file(kept))).toEqual(larger);
});

test('on a terminal a bar shows how far the batch is, and stays as it ended', async () => {
  // Longer than the bar takes to show itself.
  const slow = { language: 'shell', code: 'sleep 1' };
  writeLines(place, 'bar.jsonl', [
    { id: 'a', request: slow },
    { id: 'b', request: { language: 'cobol' } },
  ]);
  const terminal = recordTerminal(true);
  const options = { output: join(place.dir, 'bar-results.jsonl'), inlineFiles: 0, concurrency: 1, direct: true };
  const context = { terminal, options, loadConfig: () => Promise.resolve(place.config) };
  expect(await runBatchFile(context, join(place.dir, 'bar.jsonl'))).toBe(1);
  const drawn = terminal.text.err.split('\r').slice(1);
  expect(drawn[0]).toMatch(/^░{24} 0\/2 {2}0 failed {2}1 running {2}0\.0\/s$/);
  expect(drawn.at(-1)).toMatch(
    /^█{24} 2\/2 {2}1 failed {2}0 running {2}\d+\.\d\/s\n1 results \(1 succeeded\), 1 failures/,
  );
  expect(await place.containers()).toEqual([]);
});
