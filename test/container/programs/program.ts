import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Text of a program in this folder. */
export function program(name: string): string {
  return readFileSync(join(__dirname, name), 'utf8');
}
