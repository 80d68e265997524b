/**
 * Programs that start themselves again: `new Worker(__filename)`, `fork(__filename)`, `cluster.fork()`. The program is
 * no file, so a module of ours is started in its place, which finds the program in a folder of ours.
 */
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = '/tmp/.hourglass';
const JOB = `${FOLDER}/program.json`;
const COPY = fileURLToPath(new URL('copy.mjs', import.meta.url));
const require = createRequire(import.meta.url);

/** The job that the process or thread of a copy is to run. */
export function readOwnJob() {
  return JSON.parse(fs.readFileSync(JOB, 'utf8'));
}

/** Lets a program start copies of itself, where its text says that it may. `main` is its `{ filename, url }`. */
export function serveOwnCopies(job, main) {
  const kinds = Object.keys(TEACHERS).filter((name) => job.text.includes(name));
  if (kinds.length === 0) return;
  const substitute = (file) => {
    if (!isProgram(file, main)) return file;
    fs.mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    fs.writeFileSync(JOB, JSON.stringify(job));
    return COPY;
  };
  for (const name of kinds) TEACHERS[name](require(name), substitute, main.filename);
  Module.syncBuiltinESMExports();
}

const TEACHERS = {
  worker_threads(module, substitute) {
    const { Worker } = module;
    module.Worker = class extends Worker {
      constructor(file, options) {
        super(options?.eval ? file : substitute(file), options);
      }
    };
    Object.defineProperty(module.Worker, 'name', { value: 'Worker' });
  },
  child_process(module, substitute) {
    const { fork } = module;
    module.fork = function (file, ...rest) {
      return fork.call(this, substitute(file), ...rest);
    };
  },
  cluster(module, substitute, filename) {
    // What cluster starts where the program does not say; a worker is a copy already.
    if (module.isPrimary) module.settings.exec = substitute(filename);
  },
};

function isProgram(file, { filename, url }) {
  const text = String(file instanceof URL ? file.href : file);
  return text === filename || text.replace(/[?#].*$/, '') === url;
}
