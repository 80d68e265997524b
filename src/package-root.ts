import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE_NAME = 'hourglass-temporal';

/** Folder of this package, from its sources and from its compiled files alike. */
export function packageRoot(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (isPackage(join(folder, 'package.json'))) return folder;
  }
  throw new Error(`no package ${PACKAGE_NAME} above ${__dirname}`);
}

function isPackage(file: string): boolean {
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name === PACKAGE_NAME;
}
