import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLines, type FileLine } from '../../../../src/cli/batch/read-lines';
import { openResults } from '../../../../src/cli/batch/results-file';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
  file = join(folder, 'lines.jsonl');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function lines(content: string | Buffer, maxBytes?: number): Promise<FileLine[]> {
  writeFileSync(file, content);
  const found: FileLine[] = [];
  for await (const line of readLines(file, maxBytes)) found.push(line);
  return found;
}

test('lines end in a line feed, with or without a carriage return, the last one in nothing', async () => {
  const found = await lines('\ufeffa\r\n\nbé\nc');
  expect(found.map(({ number, text }) => [number, text])).toEqual([
    [1, 'a'],
    [2, ''],
    [3, 'bé'],
    [4, 'c'],
  ]);
  expect(found.map(({ hasEnd }) => hasEnd)).toEqual([true, true, true, false]);
  expect(found.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(Buffer.byteLength('\ufeffa\r\n\nbé\nc'));
});

test('a line beyond the bound has no text, and the next one is whole', async () => {
  const found = await lines(`${'x'.repeat(200_000)}\nshort\n`, 100_000);
  expect(found.map(({ text }) => text)).toEqual([undefined, 'short']);
});

test('characters that are cut between two reads stay whole', async () => {
  const text = 'é'.repeat(100_000);
  expect((await lines(`a${text}\n`)).map((line) => line.text)).toEqual([`a${text}`]);
});

const FAILURE = { code: 'VALIDATION_ERROR', message: 'm', retryable: false } as const;

test('a results file is gone on with: what is in it is answered, half a line is taken off', async () => {
  const whole = '{"id":"a","failure":{}}\n{"id":null,"line":4,"failure":{}}\n';
  writeFileSync(file, `${whole}{"id":"b","resu`);
  const { file: results, answered } = await openResults(file);
  expect(answered.size).toBe(2);
  expect([answered.has({ id: 'a', number: 9 }), answered.has({ id: null, number: 4 })]).toEqual([true, true]);
  expect([answered.has({ id: 'b', number: 9 }), answered.has({ id: null, number: 5 })]).toEqual([false, false]);
  await results.write({ id: 'b', failure: FAILURE });
  await results.close();
  expect(readFileSync(file, 'utf8')).toBe(`${whole}${JSON.stringify({ id: 'b', failure: FAILURE })}\n`);
});

test('a file that is something else is left as it is', async () => {
  writeFileSync(file, 'name,amount\n1,2\n');
  await expect(openResults(file)).rejects.toThrow('is no results file: its line 1 is no result line');
  expect(readFileSync(file, 'utf8')).toBe('name,amount\n1,2\n');
});

test.each([
  ['requests', '{"id":"a","request":{}}\n'],
  ['requests without a last line feed', '{"id":"a","request":{}}'],
  ['half a request', '{"id":"a","requ'],
  ['answers and a text', '{"id":"a","failure":{}}\nnote to myself'],
  ['numbers as ids', '{"id":7,"res'],
])('a file of %s is left as it is', async (_, content) => {
  writeFileSync(file, content);
  await expect(openResults(file)).rejects.toThrow('is no results file');
  expect(readFileSync(file, 'utf8')).toBe(content);
});

test.each([
  { id: 'b "quoted"', failure: FAILURE },
  { id: null, line: 4, failure: FAILURE },
])('a result line may be cut anywhere: %j', async (line) => {
  const text = JSON.stringify(line);
  for (let length = 0; length <= text.length; length += 1) {
    writeFileSync(file, text.slice(0, length));
    const { file: results, answered } = await openResults(file);
    await results.close();
    expect([answered.size, readFileSync(file, 'utf8')]).toEqual([0, '']);
  }
});

test('a folder that is not there is an error', async () => {
  await expect(openResults(join(folder, 'none', 'r.jsonl'))).rejects.toThrow('ENOENT');
});

test('a file that cannot be written any more is an error of the next line', async () => {
  const { file: results } = await openResults(file);
  await results.close();
  await expect(results.write({ id: 'late', failure: FAILURE })).rejects.toThrow('is closed');
});
