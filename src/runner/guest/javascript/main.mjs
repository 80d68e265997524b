/**
 * The process that runs one JavaScript or TypeScript program. It is started before the program is known, gets ready,
 * says so, waits for its job, and becomes the program.
 */
import { receiveJob, sendReady } from './job.mjs';
import { Program } from './program.mjs';
import { warmUp } from './warm-up.mjs';

warmUp();
sendReady();
const { spec, code, inputs } = receiveJob();
new Program(spec, new TextDecoder().decode(code)).start(inputs);
