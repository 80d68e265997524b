import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const ROOT = resolve(__dirname, '../..');
/** What a bundle is made of beside packages, which the lockfile names. */
const SOURCES = ['workflows', 'src/contract', 'package-lock.json'];
const CACHE = join(ROOT, 'node_modules/.cache/hourglass-tests');

/** Path of the workflows of the sources, bundled: once for all workers of all test processes, as bundling costs seconds. */
export async function workflowBundle(): Promise<string> {
  const codePath = join(CACHE, `${hashOfSources()}.js`);
  if (existsSync(codePath)) return codePath;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows/index.ts'),
    workflowInterceptorModules: [join(ROOT, 'workflows/trace-header.ts')],
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(`${codePath}.${process.pid}`, code);
  renameSync(`${codePath}.${process.pid}`, codePath);
  return codePath;
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(ROOT);
  for (const file of SOURCES.flatMap(filesOf)) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 32);
}

function filesOf(path: string): string[] {
  if (path.endsWith('.json')) return [path];
  const names = readdirSync(join(ROOT, path), { recursive: true }).map(String);
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(path, name))
    .sort();
}
