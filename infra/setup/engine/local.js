'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { SetupError } = require('../errors.js');
const { run, which } = require('../processes.js');
const { findEngine } = require('./find.js');

const START_MS = 60_000;
const POLL_MS = 200;
const LOG = '/var/log/hourglass-dockerd.log';
const CONFIG = '/etc/docker/daemon.json';

/** Pid files that stop a start, or lead it astray, when their process is gone or is another program by now. */
const PID_FILES = [
  { file: '/var/run/docker.pid', program: 'dockerd' },
  { file: '/var/run/docker/containerd/containerd.pid', program: 'containerd' },
];

/** @typedef {(text: string) => void} Say */

/**
 * Whether this process may install or start an engine here: root on Linux, with an engine installed or with a
 * distribution that has one to install.
 *
 * @returns {boolean}
 */
function canProvideEngine() {
  return process.platform === 'linux' && process.getuid?.() === 0 && (Boolean(which('dockerd')) || isDebianFamily());
}

/** @returns {boolean} */
function isDebianFamily() {
  const release = '/etc/os-release';
  if (!fs.existsSync(release) || !which('apt-get')) return false;
  return /^(ID|ID_LIKE)=.*(debian|ubuntu)/m.test(fs.readFileSync(release, 'utf8'));
}

/**
 * Brings an engine up on this machine, from the distribution's packages where none is installed, and resolves when
 * it answers.
 *
 * @param {Say} say
 * @returns {Promise<{engine: import('./find.js').Engine, way: string}>}
 */
async function provideEngine(say) {
  const installed = Boolean(which('dockerd'));
  keepContainersOverRestarts();
  if (!installed) await install(say);
  const way = await start(say);
  const engine = await untilItAnswers(say);
  return { engine, way: installed ? `${way} the engine that was installed` : `installed docker.io and ${way} it` };
}

/** Containers outlive a restart of the engine. A configuration that is there is its owner's. */
function keepContainersOverRestarts() {
  if (fs.existsSync(CONFIG)) return;
  fs.mkdirSync(path.dirname(CONFIG), { recursive: true });
  fs.writeFileSync(CONFIG, `${JSON.stringify({ 'live-restore': true }, null, 2)}\n`);
}

/** @param {Say} say */
async function install(say) {
  say('installs docker.io from the distribution');
  await apt(['update'], say);
  await apt(['install', '-y', '--no-install-recommends', 'docker.io', 'iptables'], say);
}

/**
 * Runs apt-get without questions; it waits for another apt that is at work.
 *
 * @param {string[]} args
 * @param {Say} say
 */
async function apt(args, say) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env, onLine: say });
}

/**
 * @param {Say} say
 * @returns {Promise<string>} the way it took
 */
async function start(say) {
  if (fs.existsSync('/run/systemd/system')) {
    say('starts the engine with systemd');
    await run('systemctl', ['enable', '--now', 'docker']);
    return 'started with systemd';
  }
  if (PID_FILES[0] && runs(PID_FILES[0])) return 'waited for';
  PID_FILES.filter((entry) => !runs(entry)).forEach(({ file }) => fs.rmSync(file, { force: true }));
  say('starts dockerd in the background');
  startDetached('dockerd', LOG);
  return 'started';
}

/**
 * Whether the process of a pid file lives and is the program that wrote it: after a crash its number may belong to
 * any other.
 *
 * @param {{file: string, program: string}} entry
 * @returns {boolean}
 */
function runs({ file, program }) {
  try {
    const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
    return fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === program;
  } catch {
    return false;
  }
}

/**
 * Starts a program in a session of its own with its output in a file: nothing of it holds the caller's terminal or
 * pipes open.
 *
 * @param {string} command
 * @param {string} logFile
 */
function startDetached(command, logFile) {
  const log = fs.openSync(logFile, 'a');
  const child = spawn(command, [], { detached: true, stdio: ['ignore', log, log], cwd: '/' });
  child.once('error', () => undefined);
  child.unref();
  fs.closeSync(log);
}

/**
 * @param {Say} say
 * @returns {Promise<import('./find.js').Engine>}
 */
async function untilItAnswers(say) {
  say('waits for the engine to answer');
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const engine = await findEngine();
    if (engine) return engine;
  }
  const tail = fs.existsSync(LOG) ? fs.readFileSync(LOG, 'utf8').trimEnd().split('\n').slice(-10).join('\n') : '';
  throw new SetupError(
    `The engine was started and does not answer after ${START_MS / 1000} s. Its log (${LOG}) ends with:\n${tail}`,
  );
}

module.exports = { canProvideEngine, provideEngine, apt, isDebianFamily };
