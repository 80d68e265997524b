import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TypeScriptProcess } from '../../support/typescript-process';
import { Fixture, listed, publish, read } from './fixture';

const BEFORE = { 'kept.txt': 'kept', 'replaced.txt': 'before' };
const BATCH = { 'replaced.txt': 'after', 'new.txt': 'new', 'deep/er/new.txt': 'new' };
const NONE = { ...BEFORE };
const ALL = { ...BEFORE, ...BATCH };

let fixture: Fixture;

function start(job: object): TypeScriptProcess {
  const file = join(__dirname, 'publish-in-process.ts');
  return new TypeScriptProcess(file, [JSON.stringify({ dir: fixture.root, batchId: 'batch-1', texts: BATCH, ...job })]);
}

async function contents(): Promise<Record<string, string>> {
  const workspace = await fixture.workspace();
  const entries = (await listed(workspace)).map(async (path) => [path, await read(workspace, path)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

function accountedBytes(): number {
  const [head = '', ...changes] = readFileSync(join(fixture.tenant, 'usage'), 'utf8').split('\n');
  return changes.reduce((sum, line) => sum + Number(line), Number(head.split(' ')[0]));
}

function bytesIn(texts: Record<string, string>): number {
  return Object.values(texts).reduce((sum, text) => sum + text.length, 0);
}

async function killAt(step: string, count = 1, job = {}): Promise<void> {
  const child = start({ dieAt: { step, count }, ...job });
  const { signal, stderr } = await child.end();
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
}

beforeEach(async () => {
  fixture = new Fixture();
  await publish(await fixture.workspace(), BEFORE, 'batch-0');
});

afterEach(() => fixture.remove());

const CRASH_POINTS: [step: string, count: number, outcome: 'none' | 'all'][] = [
  ['staged', 1, 'none'],
  ['staged', 2, 'none'],
  ['staged', 3, 'none'],
  ['durable', 1, 'none'],
  ['journalled', 1, 'none'],
  ['committed', 1, 'all'],
  ['moved', 1, 'all'],
  ['moved', 2, 'all'],
  ['moved', 3, 'all'],
  ['published', 1, 'all'],
  ['cleaned', 1, 'all'],
];

test.each(CRASH_POINTS)('killed after %s (%i), recovering leaves %s of the batch', async (step, count, outcome) => {
  await killAt(step, count);
  await fixture.store().recover();
  const expected = outcome === 'all' ? ALL : NONE;
  expect(await contents()).toEqual(expected);
  expect(fixture.leftovers()).toEqual([]);
  expect(accountedBytes()).toBe(bytesIn(expected));
  expect(readdirSync(join(fixture.root, '.owners'))).toHaveLength(1 + 1);
});

test.each(CRASH_POINTS)(
  'killed after %s (%i), the next attempt publishes its own files',
  async (step, count, outcome) => {
    await killAt(step, count);
    const workspace = await fixture.workspace();
    const attempt = await workspace.publish('batch-1');
    expect(await contents()).toEqual(outcome === 'all' ? ALL : NONE);
    await attempt.abort();
    const second = { 'replaced.txt': 'second', 'other.txt': 'second' };
    await publish(workspace, second);
    expect(await contents()).toEqual({ ...(outcome === 'all' ? ALL : NONE), ...second });
    expect(fixture.leftovers()).toEqual([]);
  },
);

test.each(['moved', 'published', 'cleaned'])(
  'killed once more while recovering, after %s, nothing is lost',
  async (step) => {
    await killAt('committed');
    await killAt(step, 1, { recover: true });
    await fixture.store().recover();
    expect(await contents()).toEqual(ALL);
    expect(fixture.leftovers()).toEqual([]);
  },
);

test('an older batch that is rolled forward late does not undo what came after it', async () => {
  await killAt('moved', 1);
  await publish(await fixture.workspace(), { 'replaced.txt': 'later' }, 'batch-2');
  await fixture.store().recover();
  expect(await contents()).toEqual({ ...ALL, 'replaced.txt': 'later' });
});

test('a survey tells what a recovery then finds, and changes nothing; what the living stage is in neither', async () => {
  await killAt('committed');
  await killAt('journalled', 1, { batchId: 'batch-2' });
  const living = start({ batchId: 'batch-3', wait: true });
  await living.printed(2);
  const before = [fixture.leftovers(), await contents()];
  const survey = await fixture.store().survey();
  expect([fixture.leftovers(), await contents()]).toEqual(before);
  const named = (kind: string, batch: string): object => ({
    ...{ kind, tenant: 'acme/alice', name: expect.stringMatching(`^${batch}~`) as string },
    bytes: expect.any(Number) as number,
  });
  const owner = { kind: 'owner', name: expect.any(String) as string, bytes: 0 };
  expect(survey).toEqual([named('batch', 'batch-1'), named('staging', 'batch-2'), owner, owner]);
  for (const { kind, bytes } of survey) if (kind !== 'owner') expect(bytes).toBeGreaterThan(bytesIn(BATCH));
  const store = fixture.store();
  expect(await store.recover()).toEqual(survey);
  await store.retire();
  expect(await fixture.store().survey()).toEqual([]);
  expect(fixture.leftovers()).toEqual([expect.stringMatching('^batch-3~')]);
  living.kill('SIGUSR2');
  expect(await living.end()).toMatchObject({ code: 0, stderr: '' });
});

test('a survey of a store that nobody has used finds nothing and makes no folder', async () => {
  const unused = new Fixture();
  try {
    expect(await unused.store().survey()).toEqual([]);
    await unused.store().retire();
    expect(readdirSync(unused.dir)).toEqual([]);
  } finally {
    unused.remove();
  }
});

test('several processes may recover at the same time', async () => {
  await killAt('committed');
  const children = [1, 2, 3].map(() => start({ recover: true }));
  for (const child of children) expect(await child.end()).toEqual({ code: 0, signal: null, stderr: '' });
  expect(await contents()).toEqual(ALL);
  expect(fixture.leftovers()).toEqual([]);
});

test('what a living process stages is not removed by another, and is published when it commits', async () => {
  const living = start({ wait: true });
  await living.printed(2);
  await fixture.store().recover();
  expect(fixture.leftovers()).toHaveLength(1);
  living.kill('SIGUSR2');
  expect(await living.end()).toEqual({ code: 0, signal: null, stderr: '' });
  expect(await contents()).toEqual(ALL);
});

test('an attempt that was taken over while its process lives fails at its commit', async () => {
  const superseded = start({ wait: true });
  await superseded.printed(2);
  await publish(await fixture.workspace(), { 'new.txt': 'later attempt' });
  superseded.kill('SIGUSR2');
  const { code, stderr } = await superseded.end();
  expect(code).not.toBe(0);
  expect(stderr).toContain('a later attempt at batch-1 has taken over');
  expect(await contents()).toEqual({ ...BEFORE, 'new.txt': 'later attempt' });
  expect(fixture.leftovers()).toEqual([]);
});

test('two processes that publish the same paths leave whole files of one of them', async () => {
  const children = ['one', 'two', 'three'].map((name) =>
    start({ batchId: `batch-${name}`, texts: { 'a.txt': name.repeat(9_000), 'b.txt': name } }),
  );
  for (const child of children) expect(await child.end()).toMatchObject({ code: 0, stderr: '' });
  const found = await contents();
  expect(['one', 'two', 'three'].map((name) => name.repeat(9_000))).toContain(found['a.txt']);
  expect(['one', 'two', 'three']).toContain(found['b.txt']);
});

test('a place that is taken by a folder after the commit point does not hold up the other files', async () => {
  await killAt('committed');
  mkdirSync(fixture.path('new.txt'));
  const warnings: string[] = [];
  await fixture.store({ log: { warn: (_facts, message) => warnings.push(message) } }).recover();
  expect(await contents()).toEqual({ ...BEFORE, 'replaced.txt': 'after', 'deep/er/new.txt': 'new' });
  expect(warnings).toEqual(['an output file could not be put in its place']);
  expect(fixture.leftovers()).toEqual([]);
});

test('a committed batch of a later version is kept and reported, and other tenants are put in order', async () => {
  await killAt('committed');
  const [batch = ''] = readdirSync(join(fixture.tenant, 'committed'));
  writeFileSync(join(fixture.tenant, 'committed', batch, 'manifest.json'), '{"v":2}');
  const other = await fixture.store().open({ workspaceId: 'zoo', userId: 'zed' });
  await publish(other, { 'a.txt': 'a' });
  const warnings: object[] = [];
  await fixture.store({ log: { warn: (facts) => warnings.push(facts) } }).recover();
  expect(warnings).toEqual([expect.objectContaining({ tenant: 'acme/alice' })]);
  expect(fixture.leftovers()).toEqual([batch]);
  expect(await listed(other)).toEqual(['a.txt']);
});

test('folders that lie in the root and are no tenants are left alone', async () => {
  mkdirSync(join(fixture.root, 'somebody', 'else', 'staging', 'work~in~progress'), { recursive: true });
  await fixture.store().recover();
  expect(readdirSync(join(fixture.root, 'somebody', 'else'))).toEqual(['staging']);
  expect(readdirSync(join(fixture.root, 'somebody', 'else', 'staging'))).toEqual(['work~in~progress']);
});
