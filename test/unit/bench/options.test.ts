import { join } from 'node:path';
import { readOptions } from '../../bench/options';
import { TypeScriptProcess } from '../../support/typescript-process';

const NAMES = ['cold', 'flood', 'open-loop'];
const NONE = { json: false, quick: false, long: false, only: [] };

test.each([
  [[], NONE],
  [['--json'], { ...NONE, json: true }],
  [['--only', 'flood', '--quick', '--only', 'cold'], { ...NONE, quick: true, only: ['flood', 'cold'] }],
  [['--long', '--only', 'open-loop'], { ...NONE, long: true, only: ['open-loop'] }],
])('%j asks for that', (args, options) => {
  expect(readOptions(args, NAMES)).toEqual(options);
});

test.each([
  [['--only', 'no-such-row']],
  [['--only']],
  [['--only', '--json']],
  [['--quick', '--long']],
  [['--fast']],
  [['cold']],
])('%j is refused', (args) => {
  expect(readOptions(args, NAMES)).toBeUndefined();
});

test('a row that there is not ends the benchmark with 64 and the names of those that there are', async () => {
  const bench = new TypeScriptProcess(join(__dirname, '../../bench/main.ts'), ['--only', 'no-such-row']);
  const { code, stderr } = await bench.end();
  expect({ code, stderr }).toEqual({
    code: 64,
    stderr: expect.stringMatching(/^Rows: .*warm-python.*open-loop/m) as string,
  });
  expect(bench.lines).toEqual([]);
});
