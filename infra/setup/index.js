'use strict';

const { ensureBuild, isCheckout } = require('./build.js');
const { ensureGvisor } = require('./engine/gvisor.js');
const { ensureEngine } = require('./engine/index.js');
const { SetupError } = require('./errors.js');
const { ensureImage } = require('./image/index.js');
const { sandboxImageTag } = require('./image/inputs.js');
const { ensurePackages } = require('./packages.js');
const { ensurePrometheus } = require('./prometheus/index.js');
const { createReporter } = require('./report.js');
const { runSteps } = require('./steps.js');
const { ensureTemporalCli } = require('./temporal/index.js');

/** @typedef {import('./steps.js').Step} Step */

/** @type {Step[]} */
const STEPS = [
  {
    name: 'engine',
    why: 'looks for a Docker engine, which runs the sandboxes',
    needs: [],
    run: (say) => ensureEngine(say),
  },
  {
    name: 'gvisor',
    why: 'looks for the runtime runsc, a second wall around sandboxes',
    needs: ['engine'],
    run: (say, { engine }) => ensureGvisor(engine.engine, say),
  },
  {
    name: 'temporal',
    why: 'looks for a Temporal server, which runs the workflows',
    needs: [],
    run: (say) => ensureTemporalCli(say),
  },
  {
    name: 'packages',
    why: 'compares node_modules with the lock file',
    needs: [],
    run: (say) => ensurePackages(say),
  },
  {
    name: 'image',
    why: 'looks for the sandbox image, in which programs run',
    needs: ['engine'],
    run: (say, { engine }) => ensureImage(engine.engine, say),
  },
  {
    name: 'build',
    why: 'compares lib with the sources',
    needs: ['packages'],
    run: (say) => ensureBuild(say),
  },
  {
    name: 'prometheus',
    why: 'looks for a Prometheus, which tests the metrics, the dashboard and the alerts',
    // Both may be at work with apt before it.
    needs: ['engine', 'image'],
    run: (say) => ensurePrometheus(say),
  },
];
const CHECKOUT_STEPS = ['packages', 'build', 'prometheus'];
/** What nothing but the tests needs. */
const TEST_STEPS = ['prometheus'];
/** Only when they are asked for. */
const EXTRA_STEPS = ['gvisor', ...TEST_STEPS];

/**
 * The names of the steps that set-up has here.
 *
 * @returns {string[]}
 */
function stepNames() {
  return STEPS.map((step) => step.name).filter((name) => isCheckout() || !CHECKOUT_STEPS.includes(name));
}

/** @returns {string[]} */
const usualSteps = () => stepNames().filter((name) => !EXTRA_STEPS.includes(name));

/**
 * The names of the steps that bring what the tests need.
 *
 * @returns {string[]}
 */
const testSteps = () => [...usualSteps(), ...TEST_STEPS];

/**
 * Brings all that Hourglass needs, or the named steps and what they need, and resolves with what was found. Steps
 * that do not depend on each other run at the same time.
 *
 * Extra steps run only when they are named.
 *
 * @param {{only?: string[], reporter?: import('./report.js').Reporter}} [options]
 * @returns {Promise<SetUp>}
 */
async function setup({ only = usualSteps(), reporter = createReporter() } = {}) {
  const wanted = withNeeds(only);
  try {
    const results = await runSteps(
      STEPS.filter((step) => wanted.has(step.name)),
      reporter,
    );
    const { image, sbom, digest } = results.image ?? {};
    return { engine: results.engine?.engine, image, sbom, imageDigest: digest, temporal: results.temporal };
  } finally {
    reporter.close();
  }
}

/**
 * @typedef {object} SetUp
 * @property {import('./engine/find.js').Engine} [engine]
 * @property {string} [image]
 * @property {string} [sbom] file that lists what is in the image, as CycloneDX
 * @property {string} [imageDigest] by which the engine knows the image's content
 * @property {import('./temporal/index.js').TemporalServer} [temporal]
 */

/**
 * @param {string[]} names
 * @returns {Set<string>}
 */
function withNeeds(names) {
  const known = stepNames();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new SetupError(`No such step: ${unknown.join(', ')}. The steps are ${known.join(', ')}.`);
  const needs = STEPS.filter((step) => names.includes(step.name)).flatMap((step) => step.needs);
  return new Set([...names, ...needs]);
}

module.exports = {
  setup,
  stepNames,
  testSteps,
  usualSteps,
  ensureEngine,
  ensureImage,
  ensureTemporalCli,
  sandboxImageTag,
  SetupError,
};
