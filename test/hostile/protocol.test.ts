import { join } from 'node:path';
import { LANGUAGES, type Language } from '../../src/contract';
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

/** What a descriptor is, and how it was opened: 0 to read, 1 to write, 2 for both. */
type Descriptor = readonly [link: string, mode: number];

const IN_PYTHON = `
import os, re
def descriptors(process):
    found = []
    for fd in os.listdir(f'/proc/{process}/fd'):
        try:
            flags = re.search('flags:\\s*(\\d+)', open(f'/proc/{process}/fdinfo/{fd}').read())
            found.append([os.readlink(f'/proc/{process}/fd/{fd}'), int(flags[1], 8) & 3])
        except FileNotFoundError:
            pass  # what listed the others
    return found
`;
const IN_JAVASCRIPT = `
const { readdirSync, readFileSync, readlinkSync } = require('node:fs');
const look = (fd) => {
  try {
    const flags = /flags:\\s*(\\d+)/.exec(readFileSync('/proc/self/fdinfo/' + fd, 'utf8'));
    return [[readlinkSync('/proc/self/fd/' + fd), parseInt(flags[1], 8) & 3]];
  } catch {
    return []; // what listed the others
  }
};
const result = readdirSync('/proc/self/fd').flatMap(look);`;
const DESCRIPTORS: Readonly<Record<Language, string>> = {
  python: `${IN_PYTHON}\nresult = descriptors('self')`,
  javascript: IN_JAVASCRIPT,
  typescript: IN_JAVASCRIPT,
  // Not in a substitution: the shell would have its pipe.
  shell: `python3 -c "$listing" $$ > found; result=$(cat found)`,
};
const IN_SHELL = `${IN_PYTHON}\nimport json, sys\nprint(json.dumps(descriptors(sys.argv[1])))`;

const BY_NODE = ['/dev/null', 'anon_inode:[eventfd]', 'anon_inode:[eventpoll]'];
/** What a program has beside pipes. */
const OTHERS: Readonly<Record<Language, readonly string[]>> = {
  python: [],
  javascript: BY_NODE,
  typescript: BY_NODE,
  shell: ['/tmp/.hourglass/shell/main.sh'],
};
/** stdin, then stdout, stderr, the report and the notes: neither end of the stream to the worker is among them. */
const OWN_PIPES = ['0', '1', '1', '1', '1'];
/** By which the threads of Node wake each other: both ends are there. */
const OF_BOTH_ENDS = '01';

const isPipe = ([link]: Descriptor): boolean => link.startsWith('pipe:');

/** How each pipe was opened by a process that has these descriptors. */
function modesOfPipes(found: readonly Descriptor[]): string[] {
  const pipes = new Set(found.filter(isPipe).map(([link]) => link));
  const modesOf = (pipe: string): number[] => found.filter(([link]) => link === pipe).map(([, mode]) => mode);
  return [...pipes].map((pipe) => [...new Set(modesOf(pipe))].sort().join('')).sort();
}

test.each(LANGUAGES)('R16: the stream to the worker is not among the descriptors of a %s program', async (language) => {
  const inputData = { listing: IN_SHELL };
  const { result, error } = await host().run({ language, code: DESCRIPTORS[language], inputData });
  expect(error).toBeUndefined();
  const found = result as unknown as Descriptor[];
  expect(modesOfPipes(found).filter((modes) => modes !== OF_BOTH_ENDS)).toEqual(OWN_PIPES);
  const others = found.filter((descriptor) => !isPipe(descriptor)).map(([link]) => link);
  expect([...new Set(others)].sort()).toEqual(OTHERS[language]);
});

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
