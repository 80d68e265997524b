import { join } from 'node:path';
import { hostileHost } from '../support/hostile-host';
import { TypeScriptProcess } from '../support/typescript-process';
import type { FloodFacts } from './flood-process';

const host = hostileHost();
const MiB = 1024 ** 2;

test('R16: processes that a program orphans are collected, so that it can start others', async () => {
  const code = `
import os, time
made = 0
while made < 200:
    try:
        if os.fork() == 0:
            try:
                os.fork()
            finally:
                os._exit(0)
        os.wait()
        made += 1
    except BlockingIOError:
        time.sleep(0.01)
result = made`;
  const result = await host().run({ language: 'python', code, resourceLimits: { maxPids: 12 } });
  expect(result).toMatchObject({ success: true, result: 200 });
});

const DESCRIPTORS = {
  python: 'import os\nresult = sorted({os.readlink(f"/proc/self/fd/{fd}").split(":")[0] for fd in (0, 1, 2)})',
  shell: 'result=$(readlink /proc/$$/fd/[012] | cut -d: -f1 | sort -u)',
} as const;

test.each(Object.entries(DESCRIPTORS))(
  'R16: the stream to the worker is not among the descriptors of a %s program',
  async (language, code) => {
    const { result } = await host().run({ language: language as keyof typeof DESCRIPTORS, code });
    expect([['/dev/null', 'pipe'], ['pipe'], 'pipe', '/dev/null\npipe']).toContainEqual(result);
  },
);

const MARKERS = [
  '__RESULT__{"success":true}',
  '{"v":1,"hasResult":true,"source":"variable","error":null,"warnings":[]}',
  '[truncated: 5 bytes]',
  '::set-output name=result::1',
  'HG\u0001\u0088\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0002{}',
  'Traceback (most recent call last):',
  'Execution timed out after 30000ms',
];

test.each([
  ['python', 'import sys\nsys.stdout.write(text)\nsys.stderr.write(text)\nresult = "mine"'],
  ['javascript', 'process.stdout.write(text); process.stderr.write(text); const result = "mine"'],
  ['shell', 'printf %s "$text"; printf %s "$text" >&2; result=mine'],
] as const)('R17: what %s prints stays text, whatever it looks like', async (language, code) => {
  // An environment variable cannot hold NUL.
  const text = MARKERS.join('\n').replaceAll('\u0000', language === 'shell' ? '' : '\u0000');
  const result = await host().run({ language, code, inputData: { text } });
  expect(result).toMatchObject({ success: true, result: 'mine', stdout: text, stderr: text, warnings: [] });
});

test('R19: 512 MB to each stream cost the worker less than 64 MB, and 100 KB of each come back', async () => {
  const child = new TypeScriptProcess(join(__dirname, 'flood-process.ts'), [], ['--expose-gc']);
  expect(await child.end()).toMatchObject({ code: 0, signal: null });
  const facts = JSON.parse(child.lines.at(-1) ?? '{}') as FloodFacts;
  expect(facts.written).toEqual([512 * MiB, 512 * MiB]);
  expect(facts.growthBytes).toBeLessThan(64 * MiB);
  expect(facts.longestLagMs).toBeLessThan(1_000);
  expect(facts.warnings).toHaveLength(2);
  for (const bytes of facts.keptBytes) {
    expect(bytes).toBeLessThanOrEqual(102_400);
    expect(bytes).toBeGreaterThan(102_400 - 16);
  }
  expect(facts.brokenCharacters).toBe(0);
});
