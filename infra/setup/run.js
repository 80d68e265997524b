'use strict';

/**
 * What `npm run demo`, `npm test`, `npm run bench` and `npm run setup` start: brings all that is needed, then does the job.
 */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 3)) {
  console.error(`Node ${process.versions.node} is too old: Hourglass needs 20.3 or newer.`);
  process.exit(1);
}

const path = require('node:path');
const { SetupError } = require('./errors.js');
const { setup, stepNames, testSteps } = require('./index.js');
const { runInForeground } = require('./processes.js');
const { createReporter } = require('./report.js');
const { packageRoot } = require('./root.js');
const { failedSetup, runTests } = require('./run-tests.js');

const USAGE = `Usage: node infra/setup/run.js demo [ARGUMENT...]     sets up, then shows what Hourglass does
       node infra/setup/run.js test [JEST-ARGUMENT...] sets up, then checks and tests everything
       node infra/setup/run.js bench [ARGUMENT...]    sets up, then measures: [--json] [--quick | --long] [--only ROW]...
       node infra/setup/run.js setup [--only STEP,...] sets up
Steps: ${stepNames().join(', ')}`;

/**
 * @param {string[]} argv
 * @returns {Promise<number>} the exit code
 */
async function main([mode = '', ...args]) {
  if (args.includes('--help') && mode !== 'demo') mode = 'help';
  if (mode === 'demo') return demo(args);
  if (mode === 'test') return test(args);
  if (mode === 'bench') return bench(args);
  if (mode === 'setup') return setUpOnly(args);
  console.log(USAGE);
  return mode === 'help' || mode === '--help' ? 0 : 2;
}

/** @param {string[]} args */
async function demo(args) {
  const env = environmentFor(await setUp());
  return runInForeground(process.execPath, [path.join(packageRoot(), 'lib/src/cli/demo.js'), ...args], { env });
}

/** @param {string[]} args */
async function test(args) {
  try {
    const env = environmentFor(await setUp({ only: testSteps() }));
    return await runTests(args, env);
  } catch (error) {
    return failedSetup(error);
  }
}

/** @param {string[]} args */
async function bench(args) {
  // Machines read the result from stdout: nothing else is said there.
  const reporter = createReporter(args.includes('--json') ? process.stderr : process.stdout);
  const env = environmentFor(await setUp({ reporter }));
  const root = packageRoot();
  const program = [path.join(root, 'test/support/typescript-loader.js'), path.join(root, 'test/bench/main.ts')];
  return runInForeground(process.execPath, ['--expose-gc', '-r', ...program, ...args], { env });
}

/** @param {string[]} args */
async function setUpOnly(args) {
  const [flag, names, ...rest] = args;
  if (args.length > 0 && (flag !== '--only' || !names || rest.length > 0)) {
    console.log(USAGE);
    return 2;
  }
  await setUp(names ? { only: names.split(',') } : {});
  return 0;
}

/**
 * Sets up, and on Ctrl-C ends in the orderly way that takes temporary files along.
 *
 * @param {Parameters<typeof setup>[0]} [options]
 */
async function setUp(options) {
  const end = () => process.exit(130);
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  try {
    return await setup(options);
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  }
}

/**
 * What a program needs to know that it would not find by itself.
 *
 * @param {import('./index.js').SetUp} found
 * @returns {NodeJS.ProcessEnv}
 */
function environmentFor({ engine, temporal }) {
  const env = { ...process.env };
  if (engine && !engine.isDefault) env.DOCKER_HOST = engine.dockerHost;
  if (temporal && 'path' in temporal) env.TEMPORAL_CLI_PATH = temporal.path;
  return env;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof SetupError ? error.message : error);
    process.exit(1);
  },
);
