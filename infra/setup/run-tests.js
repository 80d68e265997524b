'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { SetupError } = require('./errors.js');
const { runInForeground } = require('./processes.js');
const { packageRoot } = require('./root.js');

/** @typedef {{passed: number, failed: number, skipped: number}} Counts */

/**
 * Paths of test files.
 *
 * @param {string} folder
 * @param {string} names with spaces between them
 * @returns {string[]}
 */
const named = (folder, names) => names.split(' ').map((name) => `test/${folder}/${name}.test.ts`);

/** What the sources are checked by; `npm run check` is all of them. */
const CHECKS = ['check:lint', 'check:format', 'check:types'];
/** Tests of pure functions. */
const PURE = ['test/unit', 'test/architecture.test.ts'];
/** Tests that mostly wait, such as for the heartbeat of a worker that is gone. */
const WAITING = [
  'test/fault',
  ...named(
    'durable',
    'cancellation cancellation-reasons clock drain engine-away execute-code health hosts notes paused payload replay tracing',
  ),
  ...named(
    'durable',
    'session-restore session-rollback session-updates session-workers sessions tenant-limit two-engines',
  ),
  ...named('durable', 'worker-death worker-shutdown'),
];
/** Tests that measure, or that fill the machine. */
const ALONE = [
  ...named('cli', 'clean doctor'),
  ...named('container', 'doctor gvisor hurry limits start-check'),
  ...named('durable', 'capacity concurrency fairness'),
  ...named('hostile', 'lifecycle operations protocol'),
];

/**
 * What runs together: pure tests on all cores, then those that share an engine and a server, two files at a time, those that
 * need the machine for themselves, and those that wait, side by side.
 */
const GROUPS = [
  PURE,
  // The native runtime of the Temporal SDK keeps threads that nothing ends; with every test over, nobody needs them.
  [
    ...['--maxWorkers=2', '--forceExit'],
    ...[...PURE, ...ALONE, ...WAITING].map((path) => `--testPathIgnorePatterns=/${path}`),
  ],
  ['--runInBand', '--forceExit', ...ALONE],
  ['--maxWorkers=4', '--forceExit', ...WAITING],
];

/**
 * Checks the sources, runs the tests and prints the counts as the last line. Arguments go to jest and select tests.
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the exit code: 0 only when everything passed
 */
async function runTests(args, env) {
  const total = await check(env);
  for (const group of args.length > 0 ? [args] : GROUPS) add(total, await jest(group, env));
  console.log(closingLine(total));
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/**
 * Says why the tests cannot begin, in the form that ends every test run.
 *
 * @param {unknown} error
 * @returns {number} the exit code
 */
function failedSetup(error) {
  console.error(error instanceof SetupError ? error.message : error);
  console.log(closingLine({ passed: 0, failed: 1, skipped: 0 }));
  return 1;
}

/**
 * Lint, format and types, side by side. Each that fails counts as one failure.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Counts>}
 */
async function check(env) {
  const codes = await Promise.all(
    CHECKS.map((name) => runInForeground(npm(), ['run', '--silent', name], { cwd: packageRoot(), env })),
  );
  const failed = CHECKS.filter((_, index) => codes[index] !== 0);
  for (const name of failed) console.log(`npm run ${name} failed: it counts as one failure`);
  return { passed: 0, failed: failed.length, skipped: 0 };
}

/** @returns {string} */
const npm = () => (process.platform === 'win32' ? 'npm.cmd' : 'npm');

/**
 * Runs jest once, with its report on the screen, and resolves with what its own summary counts.
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Counts>}
 */
async function jest(args, env) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hourglass-test-'));
  const summary = path.join(folder, 'summary.json');
  const command = [require.resolve('jest/bin/jest', { paths: [packageRoot()] })];
  const options = [
    '--config',
    'infra/tooling/jest.config.js',
    '--json',
    `--outputFile=${summary}`,
    '--passWithNoTests',
  ];
  try {
    const code = await runInForeground(process.execPath, [...command, ...options, ...args], {
      cwd: packageRoot(),
      env,
    });
    return countsOf(fs.existsSync(summary) ? JSON.parse(fs.readFileSync(summary, 'utf8')) : undefined, code);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The counts of a jest summary. A file whose tests could not run counts as one failure, and so does a run that
 * failed without naming a test.
 *
 * @param {JestSummary | undefined} summary
 * @param {number} code what jest ended with
 * @returns {Counts}
 */
function countsOf(summary, code) {
  const counts = {
    passed: summary?.numPassedTests ?? 0,
    failed: (summary?.numFailedTests ?? 0) + (summary?.numRuntimeErrorTestSuites ?? 0),
    skipped: (summary?.numPendingTests ?? 0) + (summary?.numTodoTests ?? 0),
  };
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/**
 * @typedef {object} JestSummary
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numRuntimeErrorTestSuites
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 */

/**
 * @param {Counts} total
 * @param {Counts} more
 */
function add(total, more) {
  total.passed += more.passed;
  total.failed += more.failed;
  total.skipped += more.skipped;
}

/**
 * @param {Counts} counts
 * @returns {string}
 */
function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

module.exports = { runTests, failedSetup, countsOf, closingLine, jest, PURE, WAITING, ALONE };
