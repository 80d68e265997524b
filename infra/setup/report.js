'use strict';

const LONG_MS = 30_000;
const FRAME_MS = 120;
const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

/**
 * @typedef {object} Reporter hears how steps go
 * @property {(name: string, why: string) => void} start
 * @property {(name: string, text: string) => void} progress
 * @property {(name: string, way: string) => void} done
 * @property {(name: string, message: string) => void} failed
 * @property {() => void} close
 */

/** @typedef {{isTTY?: boolean, columns?: number, write(text: string): unknown}} Output */
/** @typedef {{since: number, text: string}} Running */

/**
 * Words of other programs and of registries, without what a terminal would obey.
 *
 * @param {string} text
 */
const harmless = (text) => text.replace(/[^\P{Cc}\n]/gu, ' ');

/**
 * Shows steps on an output: a live line for each running step on a terminal, elsewhere one line when a step starts,
 * one when it ends, and one now and then while it takes long.
 *
 * @param {Output} [output]
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Reporter}
 */
function createReporter(output = process.stdout, env = process.env) {
  const isLive = Boolean(output.isTTY) && !env.CI && env.TERM !== 'dumb';
  return isLive ? liveReporter(output, !env.NO_COLOR) : plainReporter(output);
}

/**
 * @param {Output} output
 * @returns {Reporter}
 */
function plainReporter(output) {
  const running = /** @type {Map<string, Running>} */ (new Map());
  const say = (/** @type {string} */ name, /** @type {string} */ text) => output.write(`[${name}] ${harmless(text)}\n`);
  const reminder = setInterval(() => {
    for (const [name, { since, text }] of running) {
      if (Date.now() - since >= LONG_MS) say(name, `still at it after ${seconds(since)}: ${text}`);
    }
  }, LONG_MS);
  reminder.unref();
  return {
    start(name, why) {
      running.set(name, { since: Date.now(), text: why });
      say(name, why);
    },
    progress(name, text) {
      const step = running.get(name);
      if (step) step.text = text;
    },
    done: (name, way) => say(name, `done in ${finish(running, name)}: ${way}`),
    failed: (name, message) => say(name, `failed after ${finish(running, name)}: ${message}`),
    close: () => clearInterval(reminder),
  };
}

/**
 * @param {Output} output
 * @param {boolean} colours
 * @returns {Reporter}
 */
function liveReporter(output, colours) {
  const running = /** @type {Map<string, Running>} */ (new Map());
  const paint = (/** @type {number} */ code, /** @type {string} */ text) =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  let shown = 0;
  let frame = 0;
  const draw = (/** @type {string} */ above) => {
    const width = (output.columns ?? 80) - 1;
    const lines = [...running].map(([name, step]) =>
      liveLine(name, step, FRAMES[frame % FRAMES.length]).slice(0, width),
    );
    const erase = shown > 0 ? `\u001b[${shown}A\u001b[J` : '';
    output.write(erase + above + lines.map((line) => `${line}\n`).join(''));
    shown = lines.length;
  };
  const timer = setInterval(() => {
    frame += 1;
    if (running.size > 0) draw('');
  }, FRAME_MS);
  timer.unref();
  return {
    start(name, why) {
      running.set(name, { since: Date.now(), text: why });
      draw('');
    },
    progress(name, text) {
      const step = running.get(name);
      if (step) step.text = text;
    },
    done: (name, way) => draw(`${paint(32, '✔')} ${name} (${finish(running, name)}): ${harmless(way)}\n`),
    failed: (name, message) => draw(`${paint(31, '✘')} ${name} (${finish(running, name)}): ${harmless(message)}\n`),
    close: () => clearInterval(timer),
  };
}

/**
 * @param {string} name
 * @param {Running} step
 * @param {string | undefined} mark
 * @returns {string}
 */
function liveLine(name, { since, text }, mark) {
  return `${mark} ${name.padEnd(9)} ${seconds(since).padStart(7)}  ${harmless(text).replace(/\s+/g, ' ')}`;
}

/**
 * @param {Map<string, Running>} running
 * @param {string} name
 * @returns {string} how long it took
 */
function finish(running, name) {
  const since = running.get(name)?.since ?? Date.now();
  running.delete(name);
  return seconds(since);
}

/**
 * @param {number} since
 * @returns {string}
 */
function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

module.exports = { createReporter };
