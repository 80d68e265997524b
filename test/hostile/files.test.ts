import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BOUNDS, tenantOf, type ExecutionRequest, type ExecutionResult } from '../../src/contract';
import { hostileHost } from '../support/hostile-host';

const MiB = 1024 ** 2;
const host = hostileHost({
  HOURGLASS_MAX_FILE_BYTES: String(8 * MiB),
  HOURGLASS_WORKSPACE_QUOTA_BYTES: String(20 * MiB),
});
let users = 0;

interface Saved {
  readonly result: ExecutionResult;
  /** Folder of the tenant's files. */
  readonly folder: string;
}

/** Runs a Python program as a new tenant, and saves all that it leaves in `out`. */
async function save(code: string, request: Partial<ExecutionRequest> = {}): Promise<Saved> {
  const whole: ExecutionRequest = {
    language: 'python',
    code: `import os, stat\nos.mkdir('out')\n${code}`,
    userId: `files-${(users += 1)}`,
    outputFiles: [{ sandboxPath: 'out/**' }],
    ...request,
  };
  const result = await host().run(whole);
  const workspace = await host().host.workspaces.open(tenantOf(whole));
  return { result, folder: dirname(workspace.locate('x') ?? '') };
}

/** Everything below a folder that is no folder, with type and mode. */
function stored(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const facts = entries.map((path) => [path, lstatSync(join(folder, path))] as const);
  const files = facts.filter(([, fact]) => !fact.isDirectory());
  return Object.fromEntries(
    files.map(([path, fact]) => [path, `${fact.isFile() ? 'file' : 'other'} ${(fact.mode & 0o7777).toString(8)}`]),
  );
}

test('R26: of links, pipes, sockets and set-id files nothing but regular files with mode 0644 is stored', async () => {
  const { result, folder } = await save(`
import socket
open('out/good.txt', 'w').write('good')
open('out/setid.sh', 'w').write('#!/bin/sh')
os.chmod('out/setid.sh', 0o6777)
open('out/hidden', 'w').write('x')
os.chmod('out/hidden', 0o400)
os.symlink('/etc/passwd', 'out/passwd')
os.symlink('good.txt', 'out/alias')
os.symlink('/etc', 'out/etc')
os.symlink('/proc/1/environ', 'out/environ')
os.mkfifo('out/pipe')
socket.socket(socket.AF_UNIX).bind('out/socket')
os.link('out/good.txt', 'out/hard')`);
  expect(result.error).toBeUndefined();
  expect(stored(folder)).toEqual({
    'out/good.txt': 'file 644',
    'out/hard': 'file 644',
    'out/hidden': 'file 644',
    'out/setid.sh': 'file 644',
  });
});

test.each(['passwd', 'pipe', 'environ', 'zero'])(
  'R26: %s is not saved where it is asked for by name, and says why',
  async (name) => {
    const { result, folder } = await save(
      `
os.symlink('/etc/passwd', 'out/passwd')
os.symlink('/proc/1/environ', 'out/environ')
os.symlink('/dev/zero', 'out/zero')
os.mkfifo('out/pipe')`,
      { outputFiles: [{ sandboxPath: `out/${name}` }] },
    );
    expect([...result.warnings, result.error?.message].join('\n')).toContain(`out/${name}`);
    expect(result.savedFiles).toEqual([]);
    expect(stored(folder)).toEqual({});
  },
);

test('R26: a folder that is exchanged for a link while the program ends leads nowhere', async () => {
  const { result, folder } = await save(`
import subprocess
for name in ('a', 'still'):
    os.mkdir(f'out/{name}')
    open(f'out/{name}/passwd', 'w').write('own')
subprocess.Popen(['bash', '-c', 'cd out; ln -s /etc b; while :; do mv -T a c; mv -T b a; mv -T a b; mv -T c a; done'], start_new_session=True)
while not os.path.lexists('out/c'): pass`);
  expect(result.error).toBeUndefined();
  const paths = Object.keys(stored(folder));
  // The look-alike, a folder that nobody exchanges, is saved in any case; the other one under the name that it has in the end.
  expect(paths).toContain('out/still/passwd');
  for (const path of paths) expect(['out/a/passwd', 'out/c/passwd', 'out/still/passwd']).toContain(path);
  expect(paths.map((path) => readFileSync(join(folder, path), 'utf8')).filter((text) => text !== 'own')).toEqual([]);
});

test('R27: a file beyond the size that a file may have is not saved, sparse or not, and the run says so', async () => {
  const { result, folder } = await save("open('out/sparse', 'wb').truncate(100 * 2 ** 20)");
  expect(result.error).toMatchObject({
    code: 'OUTPUT_FILE_ERROR',
    message: expect.stringContaining('out/sparse') as string,
  });
  expect(stored(folder)).toEqual({});
});

test('R27: files that exceed the quota together are saved as far as it goes, and the run says so', async () => {
  const { result, folder } = await save("for n in range(4): open(f'out/{n}', 'wb').write(bytes(7 * 2 ** 20))");
  expect(result.error).toMatchObject({
    code: 'OUTPUT_FILE_ERROR',
    message: expect.stringContaining('20971520 bytes') as string,
  });
  expect(result.savedFiles.map(({ workspacePath }) => workspacePath)).toEqual(['out/0', 'out/1']);
  expect(Object.keys(stored(folder))).toEqual(['out/0', 'out/1']);
});

test('R27: a sparse file within the bounds is saved as its bytes', async () => {
  const { result, folder } = await save("open('out/sparse', 'wb').truncate(5 * 2 ** 20)");
  expect(result.savedFiles).toMatchObject([{ sandboxPath: 'out/sparse', size: 5 * MiB }]);
  expect(readFileSync(join(folder, 'out/sparse')).equals(Buffer.alloc(5 * MiB))).toBe(true);
});

test('R27: a file that a left process would let grow has one size, and that is what is stored', async () => {
  const { result, folder } = await save(`
import subprocess, time
subprocess.Popen(['bash', '-c', 'while :; do echo line >> out/log; done'], start_new_session=True)
while not os.path.exists('out/log') or os.path.getsize('out/log') < 1000: time.sleep(0.01)`);
  const [file] = result.savedFiles;
  expect(result.error).toBeUndefined();
  expect(lstatSync(join(folder, 'out/log')).size).toBe(file?.size);
});

test('R27: of ten thousand files no more are saved than a result can name, and the run says so', async () => {
  const { result, folder } = await save("for n in range(10_000): open(f'out/{n}', 'w').close()");
  expect(result.error).toMatchObject({
    code: 'OUTPUT_FILE_ERROR',
    message: expect.stringContaining('10000') as string,
  });
  expect(Object.keys(stored(folder))).toHaveLength(BOUNDS.savedFiles);
});
