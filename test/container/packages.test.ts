import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestHost, type TestHost } from '../support/host';
import { program } from './programs/program';

const IMAGES = join(__dirname, '../../infra/images');
let host: TestHost;

beforeAll(async () => {
  host = await openTestHost();
});

afterAll(() => host.close());

function promisedPython(): string[] {
  const lines = readFileSync(join(IMAGES, 'requirements.in'), 'utf8').split('\n');
  return lines.flatMap((line) => /^[a-z0-9.-]+/i.exec(line)?.[0] ?? []).sort();
}

function promisedJavaScript(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(IMAGES, 'javascript/package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(dependencies).sort();
}

test.each([
  ['python', 'packages.py', promisedPython],
  ['javascript', 'packages.js', promisedJavaScript],
] as const)('R04: every %s package of the image does its work behind the filter', async (language, file, promised) => {
  const resourceLimits = { memoryMb: 1024, cpuCores: 2 };
  const { result, error } = await host.run({ language, code: program(file), resourceLimits, timeout: 120_000 });
  expect(error).toBeUndefined();
  const outcomes = Object.entries(result as Record<string, [boolean, unknown]>);
  expect(outcomes.filter(([, [works]]) => !works)).toEqual([]);
  expect(outcomes.map(([name]) => name).sort()).toEqual(promised());
});
