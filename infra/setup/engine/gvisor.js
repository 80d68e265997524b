'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { SetupError } = require('../errors.js');
const { withLock } = require('../lock.js');
const { run, which } = require('../processes.js');
const { call } = require('./api.js');
const { DEFAULT_HOST } = require('./endpoint.js');
const { apt, isDebianFamily } = require('./local.js');

const RUNTIME = 'runsc';
const CONFIG = '/etc/docker/daemon.json';
const PID_FILE = '/var/run/docker.pid';
const RELOAD_MS = 15_000;
const POLL_MS = 200;
/** Up to here ptrace is the platform that works everywhere; later versions have a quicker one of their own choice. */
const FIRST_WITH_SYSTRAP = 20230501;

const ADVICE = `Install gVisor (https://gvisor.dev/docs/user_guide/install) on the engine's machine, then there:
  sudo runsc install -- --network=none && sudo systemctl reload docker`;

/**
 * Makes sure that the engine has gVisor as its runtime `runsc`; resolves with the way it took.
 *
 * @param {import('./find.js').Engine} engine
 * @param {(text: string) => void} [say]
 * @returns {Promise<{way: string}>}
 */
async function ensureGvisor(engine, say = () => undefined) {
  if (await hasRuntime(engine)) return { way: `the engine has the runtime ${RUNTIME}` };
  const isOurs = process.platform === 'linux' && process.getuid?.() === 0 && engine.dockerHost === DEFAULT_HOST;
  if (!isOurs || (!which(RUNTIME) && !isDebianFamily())) {
    throw new SetupError(`The engine has no runtime ${RUNTIME}.\n${ADVICE}`);
  }
  return withLock('gvisor', say, async () => {
    const installed = Boolean(which(RUNTIME));
    if (!installed) {
      say('installs runsc from the distribution');
      await apt(['update'], say);
      await apt(['install', '-y', '--no-install-recommends', RUNTIME], say);
    }
    changeConfig(addRuntime(readConfig(), which(RUNTIME) ?? RUNTIME, runtimeArgs(await run(RUNTIME, ['--version']))));
    await reload(engine, say);
    return { way: `${installed ? 'found' : 'installed'} runsc and told the engine` };
  });
}

/**
 * @param {import('./find.js').Engine} engine
 * @returns {Promise<boolean>}
 */
async function hasRuntime({ dockerHost }) {
  const info = JSON.parse(await call(dockerHost, { method: 'GET', path: '/info', silenceMs: 15_000 }));
  return RUNTIME in (info.Runtimes ?? {});
}

/**
 * Arguments with which a version works without virtualisation; our sandboxes have no network in any case.
 *
 * @param {string} version as runsc tells it
 * @returns {string[]}
 */
function runtimeArgs(version) {
  const date = Number(/(\d{8})/.exec(version)?.[1] ?? FIRST_WITH_SYSTRAP);
  return [...(date < FIRST_WITH_SYSTRAP ? ['--platform=ptrace'] : []), '--network=none'];
}

/** @typedef {Record<string, unknown> & {runtimes?: Record<string, unknown>}} EngineConfig */

/**
 * The engine's configuration with the runtime; everything else in it stays.
 *
 * @param {EngineConfig} config
 * @param {string} program
 * @param {string[]} args
 * @returns {EngineConfig}
 */
function addRuntime(config, program, args) {
  return { ...config, runtimes: { ...config.runtimes, [RUNTIME]: { path: program, runtimeArgs: args } } };
}

/** @returns {EngineConfig} */
function readConfig() {
  return fs.existsSync(CONFIG) ? JSON.parse(fs.readFileSync(CONFIG, 'utf8')) : {};
}

/**
 * Puts a whole file in the place of the other: an engine that starts meanwhile reads one of them.
 *
 * @param {EngineConfig} config
 */
function changeConfig(config) {
  fs.mkdirSync(path.dirname(CONFIG), { recursive: true });
  fs.writeFileSync(`${CONFIG}.new`, `${JSON.stringify(config, null, 2)}\n`);
  fs.renameSync(`${CONFIG}.new`, CONFIG);
}

/**
 * The engine reads its runtimes again without ending anything that runs.
 *
 * @param {import('./find.js').Engine} engine
 * @param {(text: string) => void} say
 */
async function reload(engine, say) {
  say('tells the engine');
  if (fs.existsSync('/run/systemd/system')) await run('systemctl', ['reload', 'docker']);
  else process.kill(Number.parseInt(fs.readFileSync(PID_FILE, 'utf8'), 10), 'SIGHUP');
  for (const deadline = Date.now() + RELOAD_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (await hasRuntime(engine)) return;
  }
  throw new SetupError(`${CONFIG} names the runtime ${RUNTIME}, but the engine does not offer it: restart the engine.`);
}

module.exports = { ensureGvisor, addRuntime, runtimeArgs };
