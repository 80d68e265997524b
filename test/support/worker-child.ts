import { join } from 'node:path';
import type { Settings } from './test-worker';
import { TypeScriptProcess } from './typescript-process';

/** Starts a worker as a process of its own and resolves when it polls; rejects with its log where it does not. */
export async function startWorkerProcess(
  settings: Settings,
  nodeOptions: readonly string[] = [],
): Promise<TypeScriptProcess> {
  const child = new TypeScriptProcess(join(__dirname, 'worker-process.ts'), [JSON.stringify(settings)], nodeOptions);
  await child.printed(1);
  if (child.lines[0] !== 'ready') throw new Error((await child.end()).stderr);
  return child;
}
