'use strict';

/**
 * What `npm run test:cgroup2` starts: the tests of all that cgroups decide, against an engine on cgroup v2 that is
 * reached over TCP. It runs in a virtual machine, in emulation where the processor is not to be had.
 */

const { setup } = require('../setup/index.js');
const { call } = require('../setup/engine/api.js');
const { SetupError } = require('../setup/errors.js');
const { withLock } = require('../setup/lock.js');
const { createReporter } = require('../setup/report.js');
const { closingLine, failedSetup, jest } = require('../setup/run-tests.js');
const { runSteps } = require('../setup/steps.js');
const { ensureDisk } = require('./disk.js');
const { canVirtualise, startMachine } = require('./machine.js');
const { ensureTools } = require('./tools.js');

/** What runs without arguments: all that cgroups decide. */
const TESTS = ['limits', 'cgroup'].map((name) => `test/container/${name}.test.ts`);
/** How much longer everything may take in emulation. */
const EMULATION_FACTOR = 20;

/** @typedef {import('./machine.js').Machine} Machine */

/** @param {string[]} args for jest; they select tests */
async function main(args) {
  const since = Date.now();
  const machine = await endingOnSignals(async () => {
    const { engine } = await setup({ only: ['image', 'build'] });
    return bootMachine(engine);
  });
  try {
    console.log(await describe(machine));
    const tests = args.length > 0 ? args : TESTS;
    const counts = await jest(['--runInBand', '--forceExit', ...tests], environmentFor(machine));
    console.log(`cgroup v2, in ${Math.round((Date.now() - since) / 1000)} s:`);
    console.log(closingLine(counts));
    return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
  } finally {
    await machine.stop();
  }
}

/**
 * Ends this process on Ctrl-C in the orderly way, which takes temporary files and the machine along, while `work`
 * goes on; the tests are told by themselves.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function endingOnSignals(work) {
  const end = () => process.exit(130);
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM']);
  for (const signal of signals) process.on(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

/**
 * @param {import('../setup/engine/find.js').Engine | undefined} engine
 * @returns {Promise<Machine>}
 */
async function bootMachine(engine) {
  if (!engine) throw new SetupError('There is no engine to copy the sandbox image from.');
  const reporter = createReporter();
  try {
    const results = await runSteps(
      [
        { name: 'tools', why: 'looks for what makes and runs a virtual machine', needs: [], run: ensureTools },
        {
          name: 'machine',
          why: 'looks for the disk of the virtual machine',
          needs: ['tools'],
          run: (say) => withLock('cgroup2', say, () => boot(engine, say)),
        },
      ],
      reporter,
    );
    return results.machine.machine;
  } finally {
    reporter.close();
  }
}

/**
 * @param {import('../setup/engine/find.js').Engine} engine
 * @param {(text: string) => void} say
 */
async function boot(engine, say) {
  const { disk, way } = await ensureDisk(engine, say);
  const machine = await startMachine(disk, { keeps: false }, say);
  return { machine, way: `${way}; its engine answers at ${machine.dockerHost}` };
}

/**
 * One line that says what is tested. An engine that is not on cgroup v2 rejects.
 *
 * @param {Machine} machine
 * @returns {Promise<string>}
 */
async function describe({ dockerHost }) {
  const info = JSON.parse(await call(dockerHost, { method: 'GET', path: '/info' }));
  if (info.CgroupVersion !== '2') throw new SetupError(`The virtual machine has cgroup v${info.CgroupVersion}.`);
  const speed = canVirtualise() ? 'virtualised' : 'emulated';
  return `Tests against engine ${info.ServerVersion} on kernel ${info.KernelVersion}, cgroup v2, ${speed}`;
}

/**
 * @param {Machine} machine
 * @returns {NodeJS.ProcessEnv}
 */
function environmentFor({ dockerHost }) {
  const env = { ...process.env, DOCKER_HOST: dockerHost };
  if (canVirtualise()) return env;
  const times = {
    HOURGLASS_TEST_TIME_FACTOR: String(EMULATION_FACTOR),
    HOURGLASS_BOOT_TIMEOUT_MS: '600000',
    CODE_SANDBOX_TIMEOUT_MS: '300000',
  };
  return { ...times, ...env };
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => process.exit(failedSetup(error)),
);
