// The process that becomes a JavaScript or TypeScript program: boots, says that it is ready, and waits for its job.
import { announceReady, receiveJob } from './job.mjs';
import { Program } from './program.mjs';
import { asFunctionBody, readProgram } from './source.mjs';
import { withoutTypes } from './typescript.mjs';
import { defineCommonJs, defineInputs } from './world.mjs';

/** Runs what is slow the first time, so that it is not slow for the program. */
function warmUp() {
  withoutTypes('enum Warm { Up }');
  const { tree } = readProgram('import a, { b } from "c"; export const d = await a(b);');
  asFunctionBody('import a, { b } from "c"; export const d = await a(b);', tree);
  // Writes that wait for the pipe: what was written before process.exit() is not lost.
  for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);
}

warmUp();
defineCommonJs();
announceReady();
const job = receiveJob();
if (job === undefined) process.exit(0);
defineInputs(job.inputs, job.spec.fileVariables);
new Program(job.spec, job.code).run();
