'use strict';

const { apt, isDebianFamily } = require('../setup/engine/local.js');
const { SetupError } = require('../setup/errors.js');
const { which } = require('../setup/processes.js');
const { QEMU } = require('./machine.js');

/** Commands that the virtual machine takes, each with the Debian packages that bring it. */
const TOOLS = {
  [QEMU]: ['qemu-system-x86'],
  mmdebstrap: ['mmdebstrap', 'debian-archive-keyring'],
  mke2fs: ['e2fsprogs'],
  setpriv: ['util-linux'],
};

/** @typedef {{platform: string, architecture: string, isRoot: boolean, isDebian: boolean, missing: string[]}} Place */

/**
 * Resolves when the commands that make and run the virtual machine are there; on Debian and Ubuntu root installs
 * what is missing. Elsewhere the error says what to type.
 *
 * @param {(text: string) => void} say
 * @returns {Promise<{way: string}>}
 */
async function ensureTools(say) {
  const missing = Object.entries(TOOLS).flatMap(([command, packages]) => (which(command) ? [] : packages));
  const refusal = whyNot({
    platform: process.platform,
    architecture: process.arch,
    isRoot: process.getuid?.() === 0,
    isDebian: isDebianFamily(),
    missing,
  });
  if (refusal) throw new SetupError(refusal);
  if (missing.length === 0) return { way: `${Object.keys(TOOLS).join(', ')} are there` };
  say(`installs ${missing.join(', ')} from the distribution`);
  await apt(['update'], say);
  await apt(['install', '-y', '--no-install-recommends', ...missing], say);
  return { way: `installed ${missing.join(', ')}` };
}

/**
 * What stands in the way here and what to do about it, or undefined.
 *
 * @param {Place} place
 * @returns {string | undefined}
 */
function whyNot({ platform, architecture, isRoot, isDebian, missing }) {
  if (platform !== 'linux' || architecture !== 'x64')
    return `The virtual machine is made on Linux on x86-64; this is ${platform} on ${architecture}. With an engine on cgroup v2 at hand, run these tests there: DOCKER_HOST=... npm run test:container`;
  if (!isRoot)
    return 'Its disk is made with the owners and devices of a whole system.\nType:  sudo npm run test:cgroup2';
  if (missing.length > 0 && !isDebian)
    return `What makes and runs the virtual machine is missing. Install these packages, named as Debian does: ${missing.join(', ')}`;
  return undefined;
}

module.exports = { ensureTools, whyNot };
