/**
 * The process that holds a session in JavaScript or TypeScript. It is started before the first call is known, gets ready,
 * says so, and runs one call after the other; what a call leaves behind is there for the next one.
 */
import { sendReady } from './job.mjs';
import { serveJobs } from './session-jobs.mjs';
import { Session } from './session-state.mjs';
import { warmUp } from './warm-up.mjs';

warmUp();
const session = new Session();
sendReady();
serveJobs((job, onOver) => session.run(job, onOver));
