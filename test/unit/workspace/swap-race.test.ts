import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HourglassError } from '../../../src/contract';
import { OutputRefused } from '../../../src/workspace/workspace';
import { TypeScriptProcess } from '../../support/typescript-process';
import { Fixture, publish, read } from './fixture';

const ROUNDS = 1_500;

let fixture: Fixture;
let swapper: TypeScriptProcess;
let outside: string;

beforeEach(async () => {
  fixture = new Fixture();
  outside = join(fixture.dir, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'file.txt'), 'outside');
  await publish(await fixture.workspace(), { 'folder/file.txt': 'inside' });
  symlinkSync(outside, join(fixture.tenant, 'link'));
  swapper = new TypeScriptProcess(join(__dirname, 'swap-folder.ts'), [
    join(fixture.files, 'folder'),
    join(fixture.tenant, 'link'),
  ]);
  await swapper.printed(1);
});

afterEach(async () => {
  swapper.kill();
  await swapper.end();
  fixture.remove();
});

test('R25: while a folder and a link swap places, reading never leaves the root', async () => {
  const workspace = await fixture.workspace();
  const seen = { inside: 0, refused: 0, other: [] as unknown[] };
  for (let round = 0; round < ROUNDS; round++) {
    try {
      const text = await read(workspace, 'folder/file.txt');
      if (text === 'inside') seen.inside++;
      else seen.other.push(text);
    } catch (error) {
      if (error instanceof HourglassError && error.code === 'INPUT_FILE_ERROR') seen.refused++;
      else seen.other.push(error);
    }
  }
  expect(seen.other).toEqual([]);
  expect(seen.inside).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
});

test('R25: while a folder and a link swap places, writing and removing never leave the root', async () => {
  const workspace = await fixture.workspace();
  const unexpected: unknown[] = [];
  for (let round = 0; round < ROUNDS / 5; round++) {
    try {
      await publish(workspace, { [`folder/new-${round}.txt`]: 'x' });
      await workspace.remove('folder/file.txt');
    } catch (error) {
      const known = error instanceof OutputRefused || error instanceof HourglassError;
      if (!known) unexpected.push(error);
    }
  }
  expect(unexpected).toEqual([]);
  expect(readdirSync(outside)).toEqual(['file.txt']);
});
