/** The parser, from the folder of packages that programs do not see. */
import { createRequire } from 'node:module';

export const acorn = createRequire(import.meta.url)('acorn');
