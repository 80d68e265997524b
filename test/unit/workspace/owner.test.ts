import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Directory } from '../../../src/workspace/directory';
import { newOwner, OWNERS_FOLDER, OwnerSurvey, registerOwner } from '../../../src/workspace/owner';
import { Fixture } from './fixture';

const DAY_MS = 24 * 3_600_000;

let fixture: Fixture;
let root: Directory;
let owners: Directory;
let folder: string;

beforeEach(async () => {
  fixture = new Fixture();
  root = Directory.openRoot(fixture.dir);
  folder = join(fixture.dir, OWNERS_FOLDER);
  mkdirSync(folder);
  owners = root.open(OWNERS_FOLDER);
});

afterEach(() => {
  owners.close();
  root.close();
  fixture.remove();
});

/** Registers this process, with facts changed afterwards. */
async function register(facts: object, ageMs = 0): Promise<string> {
  const owner = newOwner();
  await registerOwner(root, owner);
  const file = join(folder, owner.id);
  const record = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...record, ...facts }));
  const then = new Date(Date.now() - ageMs);
  utimesSync(file, then, then);
  return owner.id;
}

test.each<[string, object, number, boolean]>([
  ['this process lives', {}, 0, false],
  ['this process lives, however long it was silent', {}, 2 * DAY_MS, false],
  ['a process with this pid that started at another time is gone', { startedAt: '1' }, 0, true],
  ['a pid that nobody has is gone', { pid: 2 ** 22 + 1 }, 0, true],
  ['a process elsewhere lives while it says so', { space: 'elsewhere' }, DAY_MS / 2, false],
  ['a process elsewhere that was silent for two days is gone', { space: 'elsewhere' }, 2 * DAY_MS, true],
  ['an owner of a later version lives while it says so', { v: 2 }, 0, false],
])('%s', async (_, facts, ageMs, gone) => {
  const id = await register(facts, ageMs);
  expect(await new OwnerSurvey(owners).isGone(id)).toBe(gone);
});

test('an owner without a record is gone', async () => {
  expect(await new OwnerSurvey(owners).isGone('unheard-of')).toBe(true);
});

test('an owner whose record is being written lives', async () => {
  const id = await register({});
  writeFileSync(join(folder, id), '{"v":1,"pi');
  expect(await new OwnerSurvey(owners).isGone(id)).toBe(false);
});

test('only the records of those who are gone are removed', async () => {
  const living = await register({});
  await register({ startedAt: '1' });
  await new OwnerSurvey(owners).forgetGone();
  expect(readdirSync(folder)).toEqual([living]);
});
