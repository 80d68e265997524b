import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const KEPT_MS = 24 * 3_600_000;
const OURS = /^temporal-\d+(-\d+)?\.log$/;

/**
 * Where servers that are started here write, under `{port}`. Removes what those that crashed, or whose parent was
 * killed, left there more than a day ago.
 */
export async function serverLogFile(stateDir: string): Promise<string> {
  const folder = join(stateDir, 'logs');
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).filter((name) => OURS.test(name));
  await Promise.all(names.map((name) => removeOld(join(folder, name))));
  // Two that try the same port at the same moment have a log each.
  return join(folder, `temporal-{port}-${process.pid}.log`);
}

async function removeOld(file: string): Promise<void> {
  const written = await stat(file).catch(() => undefined);
  if (written !== undefined && Date.now() - written.mtimeMs > KEPT_MS) await rm(file, { force: true });
}
