import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../../src/contract';
import { openTestHost, type TestHost } from '../support/host';
import { program } from './programs/program';

const resourceLimits = { memoryMb: 1024, cpuCores: 2 };
const IMAGES = join(__dirname, '../../infra/images');
let host: TestHost;

beforeAll(async () => {
  host = await openTestHost();
});

afterAll(() => host.close());

const read = (file: string): string => readFileSync(join(IMAGES, file), 'utf8');

function promisedPython(): string[] {
  return read('requirements.in')
    .split('\n')
    .flatMap((line) => /^[a-z0-9.-]+/i.exec(line)?.[0] ?? [])
    .sort();
}

function promisedJavaScript(): string[] {
  const { dependencies } = JSON.parse(read('javascript/package.json')) as { dependencies: Record<string, string> };
  return Object.keys(dependencies).sort();
}

/** What the first stage installs, from which all others are made. */
function promisedDebian(): string[] {
  const [, listed = ''] = /apt-get install -y --no-install-recommends \\\n([^]*?)\n\n/.exec(read('Dockerfile')) ?? [];
  return listed
    .split(/[\s\\]+/)
    .filter(Boolean)
    .sort();
}

/** Names without those that other systems or versions of Python would get. */
function pinnedPython(): string[] {
  return [...read('requirements.txt').matchAll(/^([a-z0-9.-]+)==[^\s;]+(?! *;)/gm)].map(([, name = '']) => name).sort();
}

function pinnedJavaScript(): string[] {
  const { packages } = JSON.parse(read('javascript/package-lock.json')) as { packages: Record<string, unknown> };
  const paths = Object.keys(packages).filter((path) => path.lastIndexOf('node_modules/') === 0);
  return paths.map((path) => path.slice('node_modules/'.length)).sort();
}

/** This package is no module itself: its helpers are below its name. */
const NO_MODULE = { '@babel/runtime': expect.stringContaining('No "exports" main defined') as string };

/** What a program of packages found: whether each works, and which others are there. */
interface Found {
  readonly uses: Readonly<Record<string, readonly [works: boolean, outcome: unknown]>>;
  readonly broughtAlong?: { readonly packages: readonly string[]; readonly failed: Readonly<Record<string, string>> };
}

/** Several sandboxes at a time, and each use several times: what a filter denies now and then is found, too. */
const SANDBOXES = 2;
const ROUNDS = 2;

type Row = readonly [language: Language, file: string, promised: string[], broughtAlong: Found['broughtAlong']];

const ROWS: readonly Row[] = [
  ['python', 'packages.py', promisedPython(), { packages: pinnedPython(), failed: {} }],
  ['javascript', 'packages.js', promisedJavaScript(), { packages: pinnedJavaScript(), failed: NO_MODULE }],
  ['shell', 'packages.sh', promisedDebian(), undefined],
];

test.each(ROWS)(
  'R04: every %s package of the image does its work behind the filter',
  async (language, file, ...there) => {
    const request = { language, code: program(file), inputData: { rounds: ROUNDS }, resourceLimits, timeout: 120_000 };
    const results = await Promise.all(Array.from({ length: SANDBOXES }, () => host.run(request)));
    for (const { result, error } of results) {
      expect(error).toBeUndefined();
      const { uses, broughtAlong } = result as unknown as Found;
      expect(Object.entries(uses).filter(([, [works]]) => !works)).toEqual([]);
      expect([Object.keys(uses).sort(), broughtAlong]).toEqual(there);
    }
  },
);
