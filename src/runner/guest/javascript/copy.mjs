/** A worker thread or child process in which a program runs once more; its errors are its parent's to see. */
import { readOwnJob } from './own-copies.mjs';
import { Program } from './program.mjs';

const { spec, text, inputs } = readOwnJob();
new Program(spec, text).launch(inputs);
