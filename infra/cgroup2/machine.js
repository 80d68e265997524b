'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { call } = require('../setup/engine/api.js');
const { SetupError } = require('../setup/errors.js');

const QEMU = 'qemu-system-x86_64';
/** As process 1 of the machine. */
const INIT = '/usr/sbin/hourglass-init';
const ENGINE_PORT = 2375;
const MEMORY_MB = 4096;
const START_MS = 10 * 60_000;
const STOP_MS = 3 * 60_000;
const POLL_MS = 500;
const CONSOLE_BYTES = 16_384;

/**
 * @typedef {object} Disk
 * @property {string} kernel
 * @property {string} initrd
 * @property {string} image
 */

/**
 * @typedef {object} Machine
 * @property {string} dockerHost
 * @property {() => Promise<void>} stop powers it off where it keeps what it wrote, else ends it; resolves when its
 *   process is gone
 */

/**
 * Starts a virtual machine and resolves when the engine in it answers, on a free port of the loopback address. The
 * machine reaches nothing beyond itself, and ends with this process, however this process ends.
 *
 * @param {Disk} disk
 * @param {{keeps: boolean}} options whether what it writes stays on the disk
 * @param {(text: string) => void} say
 * @returns {Promise<Machine>}
 */
async function startMachine(disk, { keeps }, say) {
  const port = await freePort();
  const args = ['--pdeathsig', 'KILL', QEMU, ...qemuArguments(disk, keeps, port)];
  const child = spawn('setpriv', args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  ended.then(() => process.off('exit', kill));
  child.once('error', (error) => child.stderr.destroy(error));
  const shown = lastOf([child.stdout, child.stderr]);
  const machine = { dockerHost: `tcp://127.0.0.1:${port}`, stop: () => stop(child, ended, keeps) };
  say('waits for the engine of the virtual machine');
  if (await answers(machine.dockerHost, child)) return machine;
  kill();
  await ended;
  throw new SetupError(`The virtual machine's engine does not answer. Its console ends with:\n${shown()}`);
}

/**
 * @param {Disk} disk
 * @param {boolean} keeps
 * @param {number} port
 */
function qemuArguments({ kernel, initrd, image }, keeps, port) {
  const forward = `hostfwd=tcp:127.0.0.1:${port}-:${ENGINE_PORT}`;
  return [
    ...['-machine', 'q35', '-cpu', 'max', '-smp', '2', '-m', String(MEMORY_MB), '-no-reboot'],
    ...(canVirtualise() ? ['-accel', 'kvm'] : ['-accel', 'tcg,thread=multi']),
    ...['-kernel', kernel, '-initrd', initrd],
    ...['-append', `root=/dev/vda rw console=ttyS0 init=${INIT} net.ifnames=0 panic=-1 quiet`],
    ...['-drive', `file=${image},format=raw,if=virtio,cache=unsafe`, ...(keeps ? [] : ['-snapshot'])],
    ...['-netdev', `user,id=net,restrict=on,${forward}`, '-device', 'virtio-net-pci,netdev=net'],
    ...['-nodefaults', '-display', 'none', '-serial', 'stdio', '-object', 'rng-random,id=rng'],
    ...['-device', 'virtio-rng-pci,rng=rng'],
  ];
}

/**
 * Whether the processor runs unmodified systems by itself. The device alone says nothing: where this machine is a
 * virtual one, it may be for guests of its own kind.
 *
 * @param {string} [cpuinfo]
 * @param {string} [device]
 * @returns {boolean}
 */
function canVirtualise(cpuinfo = '/proc/cpuinfo', device = '/dev/kvm') {
  try {
    fs.accessSync(device, fs.constants.R_OK | fs.constants.W_OK);
    return /^flags\s*:.*\b(vmx|svm)\b/m.test(fs.readFileSync(cpuinfo, 'utf8'));
  } catch {
    return false;
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/**
 * @param {import('node:stream').Readable[]} streams
 * @returns {() => string} the end of what came so far
 */
function lastOf(streams) {
  let text = '';
  for (const stream of streams) {
    stream.on('data', (chunk) => (text = (text + chunk).slice(-CONSOLE_BYTES)));
    stream.on('error', (error) => (text += `\n${error.message}`));
  }
  return () => text.trim();
}

/**
 * @param {string} dockerHost
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<boolean>}
 */
async function answers(dockerHost, child) {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline && child.exitCode === null; await sleep(POLL_MS)) {
    const answer = call(dockerHost, { method: 'GET', path: '/_ping', silenceMs: 10_000 });
    if (await answer.then(Boolean, () => false)) return true;
  }
  return false;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {Promise<unknown>} ended
 * @param {boolean} isOrderly
 */
async function stop(child, ended, isOrderly) {
  if (isOrderly) child.stdin?.write('off\n');
  else child.kill('SIGKILL');
  const patience = new AbortController();
  const late = sleep(STOP_MS, true, { signal: patience.signal }).catch(() => false);
  const isLate = await Promise.race([ended.then(() => false), late]);
  patience.abort();
  if (!isLate) return;
  child.kill('SIGKILL');
  throw new SetupError(`The virtual machine did not power off within ${STOP_MS / 1000} s.`);
}

module.exports = { startMachine, canVirtualise, INIT, QEMU };
