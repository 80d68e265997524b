/** stdin of a session's calls: each has a file of its own at descriptor 0, and a stream of its own. */
import fs from 'node:fs';
import Module from 'node:module';
import timers from 'node:timers';

const STDIN = 0;
const NOTHING = '/dev/null';

// Taken before any program runs: a program may replace what they are.
const { closeSync, openSync, read, ReadStream } = fs;
const { setImmediate } = timers;

let turn = 0;
let stream;

/** Lets `process.stdin` be that of the current call. */
export function serveStdin() {
  Object.defineProperty(process, 'stdin', {
    get: () => (stream ??= createStream()),
    set: (value) => {
      stream = value;
    },
    enumerable: true,
    configurable: true,
  });
}

/** Gives the call that begins its stdin: the file at a path, or nothing. */
export function openStdin(path) {
  turn += 1;
  close();
  // The lowest descriptor that is free: 0.
  open(path ?? NOTHING);
  if (stream === undefined) return;
  stream = undefined;
  // Who imported `stdin` from `process` by name finds the new one at the next import.
  Module.syncBuiltinESMExports();
}

function close() {
  try {
    closeSync(STDIN);
  } catch {
    // A call closed it.
  }
}

function open(path) {
  let fd;
  try {
    fd = openSync(path, 'r');
  } catch {
    fd = openSync(NOTHING, 'r');
  }
  // Something else of the session was quicker, in a thread, and has the descriptor.
  if (fd !== STDIN) closeSync(fd);
}

/** A stream that ends with its call, and never closes the descriptor, which is the next call's by then. */
function createStream() {
  const own = turn;
  const readOwn = (fd, buffer, offset, length, position, onRead) => {
    if (own === turn) read(fd, buffer, offset, length, position, onRead);
    else setImmediate(onRead, null, 0, buffer);
  };
  const keepOpen = (_fd, onClosed) => setImmediate(onClosed, null);
  return new ReadStream(null, { fd: STDIN, autoClose: false, fs: { read: readOwn, close: keepOpen, open: fs.open } });
}
