'use strict';

const { SetupError, messageOf } = require('./errors.js');

/** @typedef {(text: string) => void} Say */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} why what the step does and what for, in one line
 * @property {string[]} needs steps whose results it uses
 * @property {(say: Say, results: Record<string, any>) => Promise<{way: string}>} run
 */

/**
 * Runs steps, each as soon as what it needs is done, and resolves with their results by name. When one fails the
 * others still run to their end, so that the next try finds their work done; those that need it do not start.
 *
 * @param {Step[]} steps
 * @param {import('./report.js').Reporter} reporter
 * @returns {Promise<Record<string, any>>}
 */
async function runSteps(steps, reporter) {
  const results = /** @type {Record<string, any>} */ ({});
  const runs = /** @type {Map<string, Promise<boolean>>} */ (new Map());
  const reasons = /** @type {string[]} */ ([]);
  const hearing = { ...reporter, failed: heard(reporter, reasons) };
  for (const step of steps) {
    const needs = step.needs.map((name) => runs.get(name) ?? Promise.resolve(true));
    const run = Promise.all(needs).then((ready) => ready.every(Boolean) && runStep(step, results, hearing));
    runs.set(step.name, run);
  }
  const ended = await Promise.all([...runs].map(async ([name, run]) => ({ name, ok: await run })));
  const missing = ended.filter(({ ok }) => !ok).map(({ name }) => name);
  if (missing.length > 0) throw notReady(missing, reasons);
  return results;
}

/**
 * @param {import('./report.js').Reporter} reporter
 * @param {string[]} reasons
 * @returns {import('./report.js').Reporter['failed']}
 */
function heard(reporter, reasons) {
  return (name, message) => {
    reasons.push(`${name}: ${message}`);
    reporter.failed(name, message);
  };
}

/**
 * @param {string[]} missing
 * @param {string[]} reasons
 */
function notReady(missing, reasons) {
  const what = `Not ready: ${missing.join(', ')}.`;
  return new SetupError(`${what} The reason is above.`, `${what} ${reasons.join('; ')}`);
}

/**
 * @param {Step} step
 * @param {Record<string, any>} results
 * @param {import('./report.js').Reporter} reporter
 * @returns {Promise<boolean>}
 */
async function runStep({ name, why, run }, results, reporter) {
  reporter.start(name, why);
  try {
    const result = await run((text) => reporter.progress(name, text), results);
    results[name] = result;
    reporter.done(name, result.way);
    return true;
  } catch (error) {
    reporter.failed(name, error instanceof SetupError ? error.message : detailOf(error));
    return false;
  }
}

/**
 * @param {unknown} error
 * @returns {string}
 */
function detailOf(error) {
  return (error instanceof Error && error.stack) || messageOf(error);
}

module.exports = { runSteps };
