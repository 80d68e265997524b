import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { arrangeTree, FileFetcher, listTree, type ArrangeFault, type Tree } from '../../src/runner';
import { encodeHeader } from '../../src/runner/frames';
import { closeEngine, destroySandboxes, SessionSandbox } from '../support/session-sandbox';

const MIB = 1024 * 1024;
const BOUNDS = { entries: 1_000, bytes: 64 * MIB };

afterEach(destroySandboxes);
afterAll(closeEngine);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function treeOf({ channel }: SessionSandbox, bounds = BOUNDS): Promise<Tree> {
  const tree = await listTree(channel, bounds);
  if (tree === undefined) throw new Error('there is more than the bounds');
  return tree;
}

/** The bytes of each file, by its digest. */
async function contentsOf({ channel }: SessionSandbox, { files }: Tree): Promise<Map<string, Buffer>> {
  const fetcher = new FileFetcher(channel);
  const contents = new Map<string, Buffer>();
  for (const { path, size, sha256: digest } of files) {
    contents.set(digest, await buffer(fetcher.fetch('sandbox', path, size)));
  }
  return contents;
}

/** Arranges after a NEXT; says which contents were asked for. */
async function arrange(
  session: SessionSandbox,
  tree: Tree,
  contents: ReadonlyMap<string, Buffer>,
): Promise<{ fault: ArrangeFault | undefined; sent: string[] }> {
  const sent: string[] = [];
  await session.next();
  const fault = await arrangeTree(session.channel, tree, async ({ path, sha256: digest }) => {
    sent.push(path);
    return Readable.from([contents.get(digest) ?? Buffer.alloc(0)]);
  });
  return { fault, sent };
}

const MAKE = [
  'mkdir -p d/empty && echo one > d/a && printf "" > nothing && echo tool > run.sh && chmod 750 run.sh && chmod 500 d/empty',
  'head -c 3000000 /dev/zero > large',
].join('\n');

test('files are listed with what tells them apart, and nothing is changed by that', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call(`${MAKE}\nln -s a d/link; mkfifo pipe; echo x > closed; chmod 0 closed; touch $'\\xff'`);
  const tree = await treeOf(session);
  expect(tree).toEqual({
    files: [
      { path: 'd/a', size: 4, mode: 0o644, sha256: sha256('one\n') },
      { path: 'large', size: 3_000_000, mode: 0o644, sha256: expect.any(String) as string },
      { path: 'nothing', size: 0, mode: 0o644, sha256: sha256('') },
      { path: 'run.sh', size: 5, mode: 0o750, sha256: sha256('tool\n') },
    ],
    folders: [
      { path: 'd', mode: 0o755 },
      { path: 'd/empty', mode: 0o500 },
    ],
    others: 4,
  });
  expect(await listTree(session.channel, { ...BOUNDS, bytes: 3_000_000 })).toBeUndefined();
  expect(await listTree(session.channel, { ...BOUNDS, entries: 4 })).toBeUndefined();
  expect(await session.result('stat -c %a closed')).toBe('0');
});

test('a second write to a mapped page is seen, which moves no time', async () => {
  const session = await SessionSandbox.boot('python');
  await session.call(
    'import mmap\nf = open("m", "w+b"); f.write(b"a" * 4096); f.flush(); m = mmap.mmap(f.fileno(), 4096); m[0:1] = b"b"',
  );
  const [before] = (await treeOf(session)).files;
  await session.call('m[0:1] = b"c"');
  const [after] = (await treeOf(session)).files;
  expect(after?.sha256).not.toBe(before?.sha256);
});

test.each(['python', 'shell'] as const)(
  '%s: files become again what they were, and only what differs is sent',
  async (language) => {
    const session = await SessionSandbox.boot(language);
    const shell = (code: string): string =>
      language === 'shell'
        ? code
        : `import subprocess\nsubprocess.run(${JSON.stringify(code)}, shell=True, check=True)\nNone`;
    await session.call(shell(MAKE));
    const tree = await treeOf(session);
    const contents = await contentsOf(session, tree);
    await session.call(
      shell(
        'chmod 700 d/empty; rm -r d; echo d > d; echo two > run.sh; mkdir nothing.d; ln -s / root; mkdir -p deep/er; touch deep/er/f',
      ),
    );
    expect(await arrange(session, tree, contents)).toEqual({ fault: undefined, sent: ['d/a', 'run.sh'] });
    await session.call(shell(language === 'shell' ? 'true' : 'true'));
    expect(await treeOf(session)).toEqual(tree);
    expect(await arrange(session, { files: [], folders: [], others: 0 }, contents)).toEqual({
      fault: undefined,
      sent: [],
    });
    await session.call(shell('true'));
    expect(await treeOf(session)).toEqual({ files: [], folders: [], others: 0 });
  },
);

test('a sandbox that nothing has run in takes files, also again after somebody broke off', async () => {
  const source = await SessionSandbox.boot('shell');
  await source.call(MAKE);
  const tree = await treeOf(source);
  const contents = await contentsOf(source, tree);
  const target = await SessionSandbox.boot('python');
  const failing = arrangeTree(target.channel, tree, () => Promise.reject(new Error('gone')));
  await expect(failing).rejects.toThrow('gone');
  const open = async ({ sha256: digest }: { sha256: string }): Promise<Readable> =>
    Readable.from([contents.get(digest) ?? Buffer.alloc(0)]);
  expect(await arrangeTree(target.channel, tree, open)).toBeUndefined();
  await target.call('x = 1');
  expect(await treeOf(target)).toEqual(tree);
});

test('what does not fit is said, and the session goes on', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call('x=1');
  const bytes = Buffer.alloc(100 * MIB);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const tree: Tree = {
    files: [{ path: 'f', size: bytes.length, mode: 0o644, sha256: digest }],
    folders: [],
    others: 0,
  };
  expect(await arrange(session, tree, new Map([[digest, bytes]]))).toMatchObject({
    fault: { code: 'ENOSPC', path: 'f' },
  });
  expect(await session.result('echo "$x"')).toBe('1');
});

test.each([
  [0, 'list'],
  [1, 'file'],
])(
  'another host takes over in the middle, after %s files and in a frame of a %s: the session goes on',
  async (whole) => {
    const session = await SessionSandbox.boot('python');
    await session.call('x = 1; open("f", "w").write("kept")');
    const tree = await treeOf(session);
    await session.next();
    const entries = [...tree.files, ...(whole === 0 ? [] : [{ ...tree.files[0], path: 'g' }])].map((file) =>
      Object.values(file),
    );
    const ordered = entries.map(([path, size, mode, digest]) => [path, size, mode, digest]);
    await session.channel.send('ARRANGE', 0, { entries: ordered, first: true, more: whole === 0 });
    if (whole > 0) {
      await session.channel.next();
      await session.channel.send('FILE', 2, { path: 'g', size: 4 });
    }
    // The beginning of a frame whose end never comes.
    session.sandbox.input.write(Buffer.concat([encodeHeader('PART', 2, 100), Buffer.from('{"data":"AAAA')]));
    const { taken, state } = await session.takeOver();
    expect(state).toMatchObject({ state: 'idle', call: 1 });
    expect(await taken.result('[x, open("f").read()]')).toEqual([1, 'kept']);
    expect((await treeOf(taken)).files).toContainEqual(tree.files[0]);
  },
);

test('nothing goes back while processes run in the background', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call('x=1');
  await session.call('x=2; sleep 100 &');
  expect(await session.next(1)).toBe(false);
  expect(await session.result('echo "$x"')).toBe('2');
});
