import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchIdOf } from '../../../../src/cli/batch/batch-id';

let dir: string;
let output: string;
let stateDir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hourglass-batch-id-'));
  output = join(dir, 'results.jsonl');
  stateDir = join(dir, 'state');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a batch that goes on with its results file is the same, also where the file is empty', () => {
  const first = batchIdOf(output, stateDir);
  writeFileSync(output, '');
  expect(batchIdOf(output, stateDir)).toBe(first);
  expect(batchIdOf(output, stateDir)).toBe(first);
});

test('where the results file is gone it is another batch', () => {
  const first = batchIdOf(output, stateDir);
  writeFileSync(output, '');
  rmSync(output);
  expect(batchIdOf(output, stateDir)).not.toBe(first);
});

test('batches of different files are different, with the same state', () => {
  writeFileSync(output, '');
  const other = join(dir, 'other.jsonl');
  writeFileSync(other, '');
  expect(batchIdOf(other, stateDir)).not.toBe(batchIdOf(output, stateDir));
});

test('without a place for its state a batch goes on as well', () => {
  writeFileSync(join(dir, 'file'), '');
  const id = batchIdOf(output, join(dir, 'file', 'state'));
  writeFileSync(output, '');
  expect(batchIdOf(output, join(dir, 'file', 'state'))).toBe(id);
});
