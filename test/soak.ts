import { join, resolve } from 'node:path';
import { readCorpora, type CorpusCase } from './support/corpus';
import { differences } from './support/expectation';
import { openTestHost, type TestHost } from './support/host';

const CONCURRENCY = 2;
const DEFAULT_FOLDER = join(__dirname, '..', '..', 'shared', 'corpora');

/* eslint-disable no-console -- a command line of its own */

async function runAll(host: TestHost, cases: readonly CorpusCase[]): Promise<number> {
  const queue = [...cases];
  let failed = 0;
  const work = async (): Promise<void> => {
    for (let found = queue.shift(); found !== undefined; found = queue.shift()) {
      const wrong = await host.runCase(found.language, found).then(
        (result) => differences(result, found.expect),
        (error: unknown) => [String(error)],
      );
      if (wrong.length > 0) failed += 1;
      for (const difference of wrong) console.log(`${found.title}: ${difference}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return failed;
}

async function main(): Promise<void> {
  const folder = resolve(process.argv[2] ?? DEFAULT_FOLDER);
  const cases = readCorpora(folder);
  if (cases.length === 0) throw new Error(`no *.jsonl in ${folder}`);
  const host = await openTestHost();
  try {
    const failed = await runAll(host, cases);
    console.log(`${cases.length - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await host.close();
  }
}

void main();
