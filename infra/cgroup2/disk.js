'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { call } = require('../setup/engine/api.js');
const { SetupError } = require('../setup/errors.js');
const { ensureImage } = require('../setup/image/index.js');
const { dependenciesImageTag, digest, sandboxImageTag } = require('../setup/image/inputs.js');
const { run } = require('../setup/processes.js');
const { cacheFolder } = require('../setup/root.js');
const { carryImage } = require('./carry.js');
const { INIT, startMachine } = require('./machine.js');

const SUITE = 'bookworm';
const PACKAGES = [
  ...['linux-image-cloud-amd64', 'initramfs-tools', 'kmod', 'iproute2'],
  ...['docker.io', 'iptables', 'ca-certificates'],
];
/** Its file takes what is used of it. */
const DISK_SIZE = '8G';

/** @typedef {(text: string) => void} Say */
/** @typedef {import('./machine.js').Disk} Disk */

/**
 * Resolves with the disk of a virtual machine whose engine runs on cgroup v2 and has the sandbox image of this
 * version. It is made where it is missing and kept in the cache folder: the system with the packages of the sandbox
 * once, the guest for each version.
 *
 * Requires: nobody else does the same meanwhile.
 *
 * @param {import('../setup/engine/find.js').Engine} engine whose images are copied
 * @param {Say} say
 * @returns {Promise<{disk: Disk, way: string}>}
 */
async function ensureDisk(engine, say) {
  const all = path.join(cacheFolder(), 'cgroup2');
  const folder = path.join(all, digest([SUITE, ...PACKAGES, DISK_SIZE, initProgram(), packagesImage()]));
  const image = path.join(folder, `sandbox-${digest([sandboxImageTag()])}.img`);
  const disk = { kernel: path.join(folder, 'vmlinuz'), initrd: path.join(folder, 'initrd.img'), image };
  if (fs.existsSync(image)) return { disk, way: `${image} was there` };
  const base = path.join(folder, 'base.img');
  const isNew = !fs.existsSync(base);
  if (isNew) {
    fs.rmSync(all, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    await makeBase({ ...disk, image: base }, engine, say);
  }
  const others = fs.readdirSync(folder).filter((name) => name.startsWith('sandbox-'));
  for (const name of others) fs.rmSync(path.join(folder, name));
  await makeSandboxDisk(base, disk, say);
  return { disk, way: `made ${image}${isNew ? '' : ' from the system that was there'}` };
}

/** @returns {Buffer} */
const initProgram = () => fs.readFileSync(path.join(__dirname, 'init.sh'));

/** The image that takes long to copy, on which each version's own is built in a moment. */
const packagesImage = () => process.env.CODE_SANDBOX_IMAGE || dependenciesImageTag();

/**
 * @param {Disk} disk
 * @param {import('../setup/engine/find.js').Engine} engine
 * @param {Say} say
 */
async function makeBase(disk, engine, say) {
  const part = { ...disk, image: `${disk.image}.part` };
  await makeSystem(part, say);
  await change(part, say, (dockerHost) =>
    carryImage({ image: packagesImage(), from: engine.dockerHost, to: dockerHost }, say),
  );
  fs.renameSync(part.image, disk.image);
}

/**
 * A Debian system with an engine and without anything else, in a file; its kernel and initrd beside it.
 *
 * @param {Disk} disk
 * @param {Say} say
 */
async function makeSystem({ kernel, initrd, image }, say) {
  const root = `${image}.root`;
  try {
    say('makes a Debian system with an engine');
    await run('mmdebstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, SUITE, root], { onLine: say });
    fs.writeFileSync(path.join(root, INIT), initProgram(), { mode: 0o755 });
    copyFrom(path.join(root, 'boot'), 'vmlinuz-', kernel);
    copyFrom(path.join(root, 'boot'), 'initrd.img-', initrd);
    await run('truncate', ['-s', DISK_SIZE, image]);
    await run('mke2fs', ['-q', '-F', '-t', 'ext4', '-O', '^has_journal', '-d', root, image]);
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} prefix of the one file that is meant
 * @param {string} target
 */
function copyFrom(folder, prefix, target) {
  const name = fs.readdirSync(folder).find((entry) => entry.startsWith(prefix));
  if (!name) throw new SetupError(`The system has no ${prefix}* in ${folder}.`);
  fs.copyFileSync(path.join(folder, name), target);
}

/**
 * @param {string} base
 * @param {Disk} disk
 * @param {Say} say
 */
async function makeSandboxDisk(base, disk, say) {
  const part = `${disk.image}.part`;
  await run('cp', ['--sparse=always', '--reflink=auto', base, part]);
  await change({ ...disk, image: part }, say, async (dockerHost) => {
    const { Version } = JSON.parse(await call(dockerHost, { method: 'GET', path: '/version' }));
    const engine = { dockerHost, source: 'of the virtual machine', version: Version, architecture: 'x64' };
    await ensureImage({ ...engine, isDefault: false }, say);
  });
  fs.renameSync(part, disk.image);
}

/**
 * Changes a disk through its own engine; whole or not at all.
 *
 * @param {Disk} disk
 * @param {Say} say
 * @param {(dockerHost: string) => Promise<void>} work
 */
async function change(disk, say, work) {
  const machine = await startMachine(disk, { keeps: true }, say);
  try {
    await work(machine.dockerHost);
  } finally {
    await machine.stop();
  }
}

module.exports = { ensureDisk };
