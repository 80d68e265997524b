/** What is slow the first time is done before the process says that it is ready. */
import 'node:net';
import { compileProgram } from './compile.mjs';
import { describeError } from './errors.mjs';
import { restoreIntrinsics } from './intrinsics.mjs';
import { toJson } from './serialiser.mjs';
import { eraseTypes } from './typescript.mjs';

const SAMPLE = 'const a = await f(`${1}`); class B { #c = () => ({ ...a, d: [/e/] }); }\nfor (const g of [1]) g?.h;\na';
const CONTEXT = { language: 'javascript', inputNames: [], shadows: [] };

/** Runs through the path of a program without running one. */
export function warmUp() {
  for (const stream of [process.stdout, process.stderr]) {
    // Programs end with process.exit(): nothing that they printed may still be on its way then.
    stream._handle?.setBlocking?.(true);
  }
  compileProgram(SAMPLE, CONTEXT);
  for (const sample of ['let a: number = 1;', 'enum A { B }']) eraseTypes(sample);
  toJson({ a: [1, 'b', new Map([['c', new Date(0)]])], d: new Set([1.5]) }, { depth: 9, maxBytes: 999 });
  describeError(new Error('a'), ['']);
  restoreIntrinsics();
}
