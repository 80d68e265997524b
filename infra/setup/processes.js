'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { SetupError } = require('./errors.js');

/** Where output is long its reason is near the beginning or at the end. */
const HEAD_LINES = 8;
const TAIL_LINES = 15;

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {(line: string) => void} [onLine] hears each line of output as it comes
 * @property {number} [timeoutMs]
 */

/**
 * Runs a command without a terminal and resolves with its standard output. A command that fails rejects with the
 * end of what it printed, so that the reason is on the screen.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>}
 */
function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs,
    });
    const stdout = collect(child.stdout, options.onLine);
    const stderr = collect(child.stderr, options.onLine);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(stdout.text());
      const output = [stdout.text(), stderr.text()].filter(Boolean).map(shortened).join('\n');
      reject(new SetupError(`${command} ${args.join(' ')} ended with ${signal ?? code}:\n${output}`));
    });
  });
}

/**
 * @param {NodeJS.ReadableStream} stream
 * @param {((line: string) => void) | undefined} onLine
 */
function collect(stream, onLine) {
  let all = '';
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (/** @type {string} */ text) => {
    all += text;
    const lines = (rest + text).split(/[\r\n]+/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim()) onLine?.(line.trim());
  });
  return { text: () => all };
}

/**
 * @param {string} text
 * @returns {string} its beginning and its end
 */
function shortened(text) {
  const all = text.trimEnd().split('\n');
  if (all.length <= HEAD_LINES + TAIL_LINES) return all.join('\n');
  return [...all.slice(0, HEAD_LINES), '[...]', ...all.slice(-TAIL_LINES)].join('\n');
}

/**
 * Runs a command that owns the terminal while it lives, and resolves with its exit code. Ctrl-C reaches the command
 * directly, being in the same process group, so this process waits for it; SIGTERM is passed on.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [options]
 * @returns {Promise<number>}
 */
function runInForeground(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: 'inherit' });
    const wait = () => undefined;
    const pass = () => child.kill('SIGTERM');
    process.on('SIGINT', wait);
    process.on('SIGTERM', pass);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', wait);
      process.off('SIGTERM', pass);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

/**
 * The full path of a command on the PATH, or undefined.
 *
 * @param {string} name
 * @param {string} [searchPath]
 * @returns {string | undefined}
 */
function which(name, searchPath = process.env.PATH ?? '') {
  for (const folder of searchPath.split(path.delimiter)) {
    const candidate = path.join(folder, name);
    if (folder && isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/**
 * @param {string} file
 * @returns {boolean}
 */
function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs npm: the one that started this process when there is one, else the one on the PATH.
 *
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>}
 */
function runNpm(args, options) {
  const script = process.env.npm_execpath;
  if (script && /npm-cli\.c?js$/.test(script)) return run(process.execPath, [script, ...args], options);
  return run('npm', args, options);
}

/**
 * Waits for all, also when one fails, so that nothing goes on behind the caller's back; then rejects with the first
 * failure.
 *
 * @template {readonly unknown[]} T
 * @param {{[I in keyof T]: Promise<T[I]>}} promises
 * @returns {Promise<T>}
 */
async function together(promises) {
  await Promise.allSettled(promises);
  return /** @type {Promise<any>} */ (Promise.all(promises));
}

module.exports = { run, together, runInForeground, runNpm, which, isExecutable };
